import { HivekeepError } from '@hivekeep/contracts';
import { type Health, type Logger, startMonitor, within } from '@hivekeep/runtime';
import { parseAddress } from '../settings/parse-address.ts';

/** A running service. */
export interface Stoppable {
  readonly name: string;
  readonly stop: () => Promise<void>;
  /** What it says of itself, where a monitor is served. */
  readonly health?: Health;
  /** Resolves with why, when the part must not go on; the process then ends. */
  readonly ended?: Promise<Error>;
}

/** Starts parts one after the other; each is kept as soon as it runs, so that a failure of a later one stops it. */
export type Start = (signal: AbortSignal, keep: (part: Stoppable) => void) => Promise<void>;

/** The engine kills a container 10 s after its first signal. */
const STOP_PART_MS = 4_000;

/**
 * Runs until SIGTERM or SIGINT, then stops the parts, the last one started first. A second signal ends the process at once.
 * `monitorListen`: where health and metrics are served, from before the first part starts until all have stopped.
 */
export async function runUntilStopped(logger: Logger, start: Start, monitorListen?: string): Promise<void> {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    logger.info('stopping', { signal });
    stop.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  const parts: Stoppable[] = [];
  try {
    const monitor = monitorListen === undefined ? undefined : await startMonitor(parseAddress(monitorListen));
    if (monitor) parts.push({ name: 'monitor', stop: monitor.stop });
    await start(stop.signal, (part) => {
      parts.push(part);
      if (part.health) monitor?.watch(part.health);
    });
    const failure = await Promise.race([aborted(stop.signal), ...parts.flatMap(({ ended }) => ended ?? [])]);
    if (failure) throw failure;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.abort();
    for (const part of parts.reverse()) await stopPart(part, logger);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, onSignal);
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

async function stopPart({ name, stop }: Stoppable, logger: Logger): Promise<void> {
  const late = () => new HivekeepError('internal', `${name} did not stop within ${STOP_PART_MS} ms`);
  await within(stop(), { ms: STOP_PART_MS, late }).catch((error: unknown) => logger.error('stop failed', { part: name, error }));
}
