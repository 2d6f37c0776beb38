import type { AppSetStatus } from '@hivekeep/contracts';
import { expect, it } from 'vitest';
import { swarmView } from './swarm-view.ts';
import { aWorld } from './testing/a-world.ts';

const appSet: AppSetStatus = { mode: 'git', source: '', revision: '', stale: false, orphaned: [], pruned: [], pruneHeldBy: [] };
const loaded = { ...appSet, revision: 'c1' };
const input = {
  options: { swarm: 'test', home: true, controllerId: 'default' } as Parameters<typeof swarmView>[0]['options'],
  version: '0.1.0',
  lease: { state: 'active' as const, epoch: 7, lastKnown: undefined },
  toldBefore: true,
  applications: 0,
  agents: [],
  capabilities: [],
  prune: { enabled: false, volumes: false, items: [], approvals: [], strays: [] },
  now: new Date(0),
};

// Otherwise the gateway would go on showing what an earlier holder said as what is.
it.each([
  ['ok', { world: aWorld(), unread: undefined, appSet: loaded }, undefined],
  ['ok', { world: aWorld(), unread: undefined, appSet, toldBefore: false }, undefined],
  ['unknown', { world: undefined, unread: undefined, appSet: loaded }, undefined],
  [
    'unknown',
    { world: aWorld(), unread: undefined, appSet: { ...appSet, error: 'no source' } },
    'no application set is known yet: no source',
  ],
  ['unreachable', { world: aWorld(), unread: 'no leader', appSet }, 'no leader'],
] as const)('is %s, when %j', (state, facts, message) => {
  const view = swarmView({ ...input, ...facts });
  expect([view.state, view.message]).toEqual([state, message]);
});
