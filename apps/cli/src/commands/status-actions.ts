import { type Capabilities, type ControllerStatus, httpApi, type SwarmEntry, type SwarmView } from '@hivekeep/contracts';
import { openClient } from '../client/open-client.ts';
import type { ClientFlags } from '../command-options.ts';
import { EXIT } from '../exit-status.ts';
import { Exit } from '../failure.ts';
import { print } from '../output/print.ts';
import { fields, short, table } from '../output/table.ts';

export async function status(flags: ClientFlags): Promise<void> {
  const client = openClient(flags);
  const { raw, value } = await client.call(httpApi.status);
  const { swarms } = (await client.call(httpApi.swarms)).value;
  await print(flags.output, raw, () => `${appSetText(value)}\n${swarmTable(swarms)}`);
  if (value.swarms.some((swarm) => swarm.state !== 'ok')) throw new Exit(EXIT.differs);
}

/** Exit 1 when a swarm is not ok. */
export async function swarms(flags: ClientFlags): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.swarms);
  await print(flags.output, raw, () => swarmTable(value.swarms));
  if (value.swarms.some(({ state }) => state !== 'ok')) throw new Exit(EXIT.differs);
}

export async function capabilities(flags: ClientFlags): Promise<void> {
  const { raw, value } = await openClient(flags).call(httpApi.capabilities);
  await print(flags.output, raw, () => capabilityText(value));
}

function appSetText({ appSet, applications }: ControllerStatus): string {
  return fields([
    ['App set', `${appSet.mode}${appSet.source === undefined ? '' : ` ${appSet.source}`}`],
    ['Revision', `${short(appSet.revision)}${appSet.stale ? ' (stale)' : ''}`],
    ['Loaded', appSet.loadedAt],
    ['Error', appSet.error],
    ['Applications', applications],
    ['Orphaned', appSet.orphaned?.join(', ')],
    ['Pruned', appSet.pruned?.join(', ')],
    ['Prune held', appSet.pruneHeldBy?.join(', ')],
  ]);
}

function swarmTable(swarms: readonly SwarmEntry[]): string {
  const rows = swarms.map(({ name, home, state, message, lastHeardAt, view }) => [
    name + (home ? ' (home)' : ''),
    state + (view?.frozen ? ', frozen' : ''),
    view?.applications ?? '',
    view ? nodesText(view) : '',
    lastHeardAt ?? 'never',
    message ?? view?.warnings[0] ?? '',
  ]);
  return table(['SWARM', 'STATE', 'APPLICATIONS', 'NODES', 'HEARD', 'MESSAGE'], rows);
}

/** How many nodes' volumes can be removed, of how many; with its name where the coverage is anything but complete. */
export function nodesText({ nodes, coverage = 'complete' }: Pick<SwarmView, 'nodes' | 'coverage'>): string {
  const covered = `${nodes.filter((node) => node.covered).length}/${nodes.length}`;
  return coverage === 'complete' ? covered : `${covered} ${coverage}`;
}

function capabilityText({ version, edition, features, swarms = {} }: Capabilities): string {
  const on = Object.entries(features).map(([name, value]) => `${name}: ${value ? 'yes' : 'no'}`);
  const head = fields([
    ['Version', version],
    ['Edition', edition],
    ['Features', on.join(', ')],
  ]);
  const rows = Object.entries(swarms).flatMap(([swarm, list]) =>
    list.map(({ name, present, costs }) => [swarm, name, present ? 'yes' : 'no', costs ?? '']),
  );
  return rows.length === 0 ? head : `${head}\n${table(['SWARM', 'CAPABILITY', 'PRESENT', 'COSTS'], rows)}`;
}
