import { STACK_LABEL } from './labels.ts';
import type { LiveNetwork, LiveNode, LiveObject, LiveService, LiveTask, SwarmSnapshot } from './live.ts';
import type { NameIndex } from './spec/reference-equality.ts';

/** A snapshot with what every release asks of it looked up once, so that a tick costs no product of releases and tasks. */
export interface SnapshotIndex extends NameIndex {
  readonly snapshot: SwarmSnapshot;
  readonly serviceById: ReadonlyMap<string, LiveService>;
  /** Services by their stack label. */
  readonly servicesByStack: ReadonlyMap<string, readonly LiveService[]>;
  readonly tasksByService: ReadonlyMap<string, readonly LiveTask[]>;
  /** Nodes whose tasks count: neither drained nor down; a paused one counts. */
  readonly schedulable: ReadonlyMap<string, LiveNode>;
  readonly serviceByName: ReadonlyMap<string, LiveService>;
  /** Networks by name; a name may be taken more than once. */
  readonly networksByName: ReadonlyMap<string, readonly LiveNetwork[]>;
  readonly configByName: ReadonlyMap<string, LiveObject>;
  readonly secretByName: ReadonlyMap<string, LiveObject>;
  /** Names of configs by id. */
  readonly configNames: ReadonlyMap<string, string>;
}

function groupBy<T>(items: readonly T[], key: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}

/** Looks a snapshot through once. The result refers to its objects and must not outlive it. */
export function indexSnapshot(snapshot: SwarmSnapshot): SnapshotIndex {
  const up = snapshot.nodes.filter((node) => node.availability !== 'drain' && node.state !== 'down');
  return {
    snapshot,
    serviceById: new Map(snapshot.services.map((service) => [service.id, service])),
    servicesByStack: groupBy(snapshot.services, (service) => service.spec.Labels?.[STACK_LABEL]),
    tasksByService: groupBy(snapshot.tasks, (task) => task.serviceId),
    schedulable: new Map(up.map((node) => [node.id, node])),
    serviceByName: new Map(snapshot.services.map((service) => [service.spec.Name, service])),
    networksByName: groupBy(snapshot.networks, (network) => network.name),
    configByName: new Map(snapshot.configs.map((config) => [config.name, config])),
    secretByName: new Map(snapshot.secrets.map((secret) => [secret.name, secret])),
    configNames: new Map(snapshot.configs.map((config) => [config.id, config.name])),
    configIds: new Map(snapshot.configs.map((config) => [config.name, config.id])),
    secretIds: new Map(snapshot.secrets.map((secret) => [secret.name, secret.id])),
    networkNames: new Map(snapshot.networks.map((network) => [network.id, network.name])),
  };
}
