import type { Presence } from '@hivekeep/contracts';
import { indexSnapshot, type LiveNode } from '@hivekeep/planner';
import { expect, it } from 'vitest';
import { ReconcilerOptions } from './config.ts';
import { type SwarmViewInput, swarmView } from './swarm-view.ts';
import { aWorld } from './testing/a-world.ts';

const node = (id: string): LiveNode => ({
  ...{ id, hostname: `host-${id}`, role: 'worker', availability: 'active', state: 'ready', address: '', labels: {}, engineLabels: {} },
  ...{ platform: { os: 'linux', architecture: 'x86_64' }, engineVersion: '' },
});
const nothing = { takenAt: 0, services: [], networks: [], configs: [], secrets: [], tasks: [] };
const world = aWorld({ index: indexSnapshot({ ...nothing, nodes: [node('a'), node('b')] }) });
const agent = (id: string): Presence => ({
  ...{ service: 'node-agent', instance: id, version: '1.0.0', swarm: 'test', node: { id, hostname: `host-${id}` }, at: '' },
});

function coverage(agents: readonly string[], more: Partial<SwarmViewInput> = {}) {
  return swarmView({
    options: ReconcilerOptions.parse({ swarm: 'test' }),
    version: '1.0.0',
    lease: { state: 'active', epoch: 1, lastKnown: undefined },
    world,
    unread: undefined,
    appSet: { mode: 'static', source: '', revision: '', stale: false, orphaned: [], pruned: [], pruneHeldBy: [] },
    applications: 0,
    agents: agents.map(agent),
    capabilities: [{ name: 'SwarmSizer', present: true }],
    prune: { enabled: false, volumes: false, items: [], approvals: [], strays: [] },
    now: new Date(0),
    ...more,
  }).coverage;
}

it.each<[string, string | undefined, readonly string[], Partial<SwarmViewInput>]>([
  ['every node has an agent', 'complete', ['a', 'b'], {}],
  ['a node has none', 'partial', ['a'], {}],
  ['nobody can tell how many nodes there are', 'partial', ['a', 'b'], { capabilities: [{ name: 'SwarmSizer', present: false }] }],
  ['the swarm was not read yet', undefined, ['a', 'b'], { world: undefined }],
])('where %s, volumes are covered: %s', (_, expected, agents, more) => {
  expect(coverage(agents, more)).toBe(expected);
});
