import { HivekeepError, httpApi, parseDuration } from '@hivekeep/contracts';
import type { ApiClient } from '../client/api-client.ts';
import { openClient } from '../client/open-client.ts';
import type { ClientFlags } from '../command-options.ts';
import { EXIT } from '../exit-status.ts';
import { Exit } from '../failure.ts';
import { print } from '../output/print.ts';
import { applicationTable, diffText, historyTable, viewText } from '../output/views.ts';
import { type FollowOptions, followSync } from '../sync/follow-sync.ts';
import { judgeRollback, judgeSync } from '../sync/judge-sync.ts';
import { SyncProgress } from '../sync/progress.ts';

const at = (name: string, { swarm }: ClientFlags) => ({ params: { app: name }, query: { swarm } });

export async function list(flags: ClientFlags): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.applications, { query: { swarm: flags.swarm } });
  await print(flags.output, raw, () => applicationTable(value.applications));
}

export async function get(name: string, flags: ClientFlags): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.application, at(name, flags));
  await print(flags.output, raw, () => viewText(value));
}

/** Nothing on stdout when there is no difference, so that its emptiness can be tested. */
export async function diff(name: string, flags: ClientFlags & { exitCode?: boolean }): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.diff, at(name, flags));
  if (!value.planned) process.stderr.write(`hivekeep: '${name}' has not been planned yet; try again after its first reconcile\n`);
  await print(flags.output, raw, () => diffText(value));
  if ((value.releases ?? []).length > 0 && flags.exitCode !== false) throw new Exit(EXIT.differs);
}

export async function history(name: string, flags: ClientFlags): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.history, at(name, flags));
  await print(flags.output, raw, () => historyTable(value));
}

export async function pause(name: string, flags: ClientFlags & { reason?: string }): Promise<void> {
  const { raw } = await openClient(flags).call(httpApi.pause, { ...at(name, flags), body: { reason: flags.reason ?? '' } });
  await print(flags.output, raw, () => `${name} paused\n`);
}

export async function resume(name: string, flags: ClientFlags): Promise<void> {
  const { raw } = await openClient(flags).call(httpApi.resume, at(name, flags));
  await print(flags.output, raw, () => `${name} resumed\n`);
}

export async function refresh(name: string, flags: ClientFlags): Promise<void> {
  const { raw } = await openClient(flags).call(httpApi.refresh, at(name, flags));
  await print(flags.output, raw, () => `${name} is being refreshed\n`);
}

interface WaitFlags {
  readonly wait?: boolean;
  readonly timeout?: string;
}

export async function sync(name: string, flags: ClientFlags & WaitFlags): Promise<void> {
  await ask(name, flags, judgeSync, async (client) => {
    const { raw, value } = await client.call(httpApi.sync, at(name, flags));
    return { raw, text: `${name}: sync ${value.coalesced ? 'joined to the one that waits' : 'accepted'}\n` };
  });
}

export async function rollback(name: string, release: string | undefined, flags: ClientFlags & WaitFlags & { to?: string }): Promise<void> {
  const to = flags.to === undefined ? undefined : revisionOf(flags.to);
  await ask(name, flags, judgeRollback, async (client) => {
    const { raw, value } = await client.call(httpApi.rollback, { ...at(name, flags), body: { release, to } });
    const accepted = value.coalesced ? 'is under way already' : 'accepted';
    return { raw, text: `${name}: rollback of ${value.release} to revision ${value.revision} ${accepted}\n` };
  });
}

function revisionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new HivekeepError('usage/invalid', `--to: expected the number of a revision ('hivekeep app history' lists them), found '${text}'`);
}

/** Sends what is answered before it is done, and with `--wait` follows it to its end. */
async function ask(
  name: string,
  flags: ClientFlags & WaitFlags,
  judge: FollowOptions['judge'],
  send: (client: ApiClient) => Promise<{ raw: unknown; text: string }>,
): Promise<void> {
  const timeoutMs = parseDuration(flags.timeout ?? '5m');
  if (timeoutMs === undefined || timeoutMs <= 0)
    throw new HivekeepError('usage/invalid', `--timeout: expected a duration like 90s or 5m, found '${flags.timeout}'`);
  const client = openClient(flags);
  const before = flags.wait ? (await client.call(httpApi.application, at(name, flags))).value : undefined;
  const { raw, text } = await send(client);
  if (before === undefined) return print(flags.output, raw, () => text);
  const progress = new SyncProgress(process.stderr);
  const signal = AbortSignal.timeout(timeoutMs);
  const outcome = await followSync({
    before,
    judge,
    signal,
    fetchView: () => client.call(httpApi.application, { ...at(name, flags), signal }),
    show: (view) => progress.show(view),
  });
  progress.end();
  await print(flags.output, outcome.raw, () => `${name}: ${outcome.text}\n`);
  if (outcome.exitCode !== EXIT.ok) throw new Exit(outcome.exitCode);
}
