import { setTimeout as sleep } from 'node:timers/promises';
import { Event, HivekeepError, httpApi } from '@hivekeep/contracts';
import { openClient } from '../client/open-client.ts';
import type { ServerEvent } from '../client/server-events.ts';
import type { ClientFlags } from '../command-options.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 15_000;

/** Prints events until the process is interrupted; resumes after the last one when the connection breaks. */
export async function events(flags: ClientFlags & { app?: string; after?: string }): Promise<void> {
  const client = openClient(flags);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  const query = { application: flags.app, swarm: flags.swarm };
  let lastEventId = flags.after;
  let connected = false;
  for (let wait = FIRST_RETRY_MS; !stop.signal.aborted; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    try {
      for await (const event of client.events(httpApi.events, { query, lastEventId, signal: stop.signal })) {
        lastEventId = event.id ?? lastEventId;
        wait = FIRST_RETRY_MS;
        process.stdout.write(flags.output === 'table' ? eventLine(event) : `${JSON.stringify(whole(event))}\n`);
      }
      connected = true;
    } catch (error) {
      if (stop.signal.aborted) return;
      if (HivekeepError.is(error, 'auth/unauthorized', 'auth/forbidden') || (!connected && lastEventId === flags.after)) throw error;
    }
    await sleep(wait, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}

/** One JSON object a line, with the id to resume after. */
function whole({ id, type, data }: ServerEvent): Record<string, unknown> {
  return { id, type, ...(JSON.parse(data) as Record<string, unknown>) };
}

function eventLine({ type, data }: ServerEvent): string {
  const event = Event.safeParse(JSON.parse(data));
  if (!event.success) return `-- ${type}: events before this were not kept; read the lists again\n`;
  const { at, swarm, application, message, actor, revision } = event.data;
  const parts = [at, swarm, application || '-', event.data.type, revision?.slice(0, 10), actor && `by ${actor}`, message];
  return `${parts
    .filter(Boolean)
    .join('  ')
    .replace(/\p{Cc}+/gu, ' ')}\n`;
}
