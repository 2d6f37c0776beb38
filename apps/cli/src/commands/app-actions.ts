import { HivekeepError, httpApi, parseDuration } from '@hivekeep/contracts';
import { openClient } from '../client/open-client.ts';
import type { ClientFlags } from '../command-options.ts';
import { EXIT } from '../exit-status.ts';
import { Exit } from '../failure.ts';
import { print } from '../output/print.ts';
import { applicationTable, diffText, historyTable, viewText } from '../output/views.ts';
import { followSync } from '../sync/follow-sync.ts';
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

export async function sync(name: string, flags: ClientFlags & { wait?: boolean; timeout?: string }): Promise<void> {
  const timeoutMs = parseDuration(flags.timeout ?? '5m');
  if (timeoutMs === undefined || timeoutMs <= 0)
    throw new HivekeepError('usage/invalid', `--timeout: expected a duration like 90s or 5m, found '${flags.timeout}'`);
  const client = openClient(flags);
  const before = flags.wait ? (await client.call(httpApi.application, at(name, flags))).value : undefined;
  const accepted = await client.call(httpApi.sync, at(name, flags));
  if (before === undefined) {
    await print(
      flags.output,
      accepted.raw,
      () => `${name}: sync ${accepted.value.coalesced ? 'joined to the one that waits' : 'accepted'}\n`,
    );
    return;
  }
  const progress = new SyncProgress(process.stderr);
  const signal = AbortSignal.timeout(timeoutMs);
  const outcome = await followSync({
    before,
    signal,
    fetchView: () => client.call(httpApi.application, { ...at(name, flags), signal }),
    show: (view) => progress.show(view),
  });
  progress.end();
  await print(flags.output, outcome.raw, () => `${name}: ${outcome.text}\n`);
  if (outcome.exitCode !== EXIT.ok) throw new Exit(outcome.exitCode);
}
