import { httpApi, type PruneList } from '@hivekeep/contracts';
import { openClient } from '../client/open-client.ts';
import type { ClientFlags } from '../command-options.ts';
import { print } from '../output/print.ts';
import { fields, table } from '../output/table.ts';

export async function list(flags: ClientFlags): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.prune, { query: { swarm: flags.swarm } });
  await print(flags.output, raw, () => pruneText(value));
}

export async function approve(id: string, flags: ClientFlags & { release?: string[] }): Promise<void> {
  const body = { ...(flags.release && { releases: flags.release }) };
  const { raw, value } = await openClient(flags).call(httpApi.pruneApprove, { params: { id }, query: { swarm: flags.swarm }, body });
  await print(flags.output, raw, () => `approved: ${value.releases.join(', ')}\n`);
}

export async function forgetNode(node: string, flags: ClientFlags): Promise<void> {
  const { raw } = await openClient(flags).call(httpApi.forgetNode, { query: { swarm: flags.swarm }, body: { node } });
  await print(flags.output, raw, () => `${node} is forgotten: its volumes are no longer waited for\n`);
}

export async function freeze(flags: ClientFlags & { reason?: string }): Promise<void> {
  const body = { reason: flags.reason ?? '' };
  const { raw } = await openClient(flags).call(httpApi.freeze, { query: { swarm: flags.swarm }, body });
  await print(flags.output, raw, () => 'frozen: nothing is written until `hivekeep unfreeze`\n');
}

export async function unfreeze(flags: ClientFlags): Promise<void> {
  const { raw } = await openClient(flags).call(httpApi.unfreeze, { query: { swarm: flags.swarm }, body: {} });
  await print(flags.output, raw, () => 'writes are allowed again\n');
}

function pruneText({ enabled, volumes, items, approvals, strays }: PruneList): string {
  const head = fields([
    ['Prune', enabled ? 'on' : 'off (start with --prune)'],
    ['Volumes', volumes ? 'on' : 'kept'],
  ]);
  const sweeps = items.map((item) => [
    item.application,
    item.release,
    item.state,
    item.since,
    [item.reason, item.volumesAt && `volumes at ${item.volumesAt}`, uncovered(item)].filter(Boolean).join('; '),
  ]);
  const held = approvals.map(({ id, items: batch, reason, expiresAt }) => [
    id,
    batch.map((item) => item.release).join(','),
    expiresAt,
    reason,
  ]);
  return [
    head,
    table(['APPLICATION', 'RELEASE', 'STATE', 'SINCE', 'REASON'], sweeps),
    ...(held.length > 0 ? [table(['APPROVE', 'RELEASES', 'EXPIRES', 'REASON'], held)] : []),
    ...(strays.length > 0
      ? [
          table(
            ['STRAY VOLUME', 'NODE', 'STACK'],
            strays.map((stray) => [stray.volume, stray.node, stray.stack]),
          ),
        ]
      : []),
  ].join('\n');
}

function uncovered(item: PruneList['items'][number]): string {
  return item.uncovered.map(({ node, hostname, reason }) => `node ${hostname ?? node}: ${reason}`).join(', ');
}
