import { describe, expect, it } from 'vitest';
import type { LiveNode, LiveService, LiveTask } from '../live.ts';
import { indexSnapshot } from '../snapshot-index.ts';
import { liveService, NOW, node, snapshot, spec, task } from '../testing/builders.ts';
import { applicationHealth, releaseHealth, serviceHealth } from './health.ts';

interface Case {
  service?: Partial<LiveService> & { spec?: LiveService['spec'] };
  tasks?: Partial<LiveTask>[];
  nodes?: LiveNode[];
  failed?: boolean;
  declared?: boolean;
}

function health({ service = {}, tasks = [{}], nodes = [node('n1')], failed = false, declared = false }: Case) {
  const live = liveService(service.spec ?? spec('shop_web'), service);
  const parts = snapshot({ services: [live], nodes, tasks: tasks.map((rest, index) => task(live, { id: `t${index}`, ...rest })) });
  return serviceHealth(live, {
    index: indexSnapshot(parts),
    now: NOW,
    lastSyncFailed: failed,
    runsDeclared: new Set(declared ? ['shop_web'] : []),
  });
}
const once = spec('shop_web', {}, { template: { RestartPolicy: { Condition: 'none' } } });
const job = spec('shop_web', {}, { Mode: { ReplicatedJob: { MaxConcurrent: 1, TotalCompletions: 2 } } });
const global = (constraints: string[] = []) =>
  spec('shop_web', {}, { Mode: { Global: {} }, template: { Placement: { Constraints: constraints } } });
const update = (state: string, message = 'words') => ({ updateStatus: { state, message } });

describe('serviceHealth', () => {
  it.each<[string, Case, string, RegExp]>([
    ['a running task', {}, 'healthy', /^$/],
    ['H01 one-shot that failed', { service: { spec: once }, tasks: [{ state: 'failed', error: 'exit (1)' }] }, 'degraded', /exit \(1\)/],
    [
      'H01 one-shot that ended well',
      { service: { spec: once }, tasks: [{ state: 'complete', desiredState: 'shutdown' }] },
      'healthy',
      /^$/,
    ],
    ['H02 paused job that is done', { service: { spec: once, ...update('paused') }, tasks: [{ state: 'complete' }] }, 'healthy', /^$/],
    ['H02 paused service', { service: update('paused') }, 'degraded', /paused: words/],
    ['H03 rolled back', { service: update('rollback_completed') }, 'degraded', /rollback_completed/],
    ['D09 rolled back to what is declared', { service: update('rollback_completed'), declared: true }, 'healthy', /^$/],
    ['paused though declared runs', { service: update('rollback_paused'), declared: true }, 'degraded', /rollback_paused/],
    ['H03 no task', { tasks: [] }, 'progressing', /0\/1/],
    ['H03 no task after a failed sync', { tasks: [], failed: true }, 'degraded', /last sync failed/],
    [
      'a task nobody can place',
      { tasks: [{ nodeId: '', state: 'pending', error: 'no suitable node' }] },
      'progressing',
      /no suitable node/,
    ],
    [
      'a task in the place of a failed one',
      {
        tasks: [
          { state: 'failed', error: 'exit (1)', createdAt: NOW - 20_000 },
          { state: 'ready', message: '', createdAt: NOW - 1_000 },
        ],
      },
      'progressing',
      /newest task ready; the one before it failed: exit \(1\)$/,
    ],
    [
      'a task beside the place of a failed one',
      {
        tasks: [
          { state: 'failed', error: 'exit (1)', slot: 2, createdAt: NOW - 20_000 },
          { state: 'ready', message: '', createdAt: NOW - 1_000 },
        ],
      },
      'progressing',
      /newest task ready$/,
    ],
    ['H05 a young task', { tasks: [{ createdAt: NOW - 1000 }] }, 'progressing', /another 4s/],
    ['a task from the future', { tasks: [{ createdAt: NOW + 9e9 }] }, 'progressing', /another 5s/],
    [
      'H05 the monitor window',
      { service: { spec: spec('shop_web', {}, { UpdateConfig: { Parallelism: 1, MaxFailureRatio: 0, Monitor: 90e9 } }) } },
      'progressing',
      /another 30s/,
    ],
    [
      'H06 an old job run',
      {
        service: { spec: job, jobIteration: 2 },
        tasks: [
          { state: 'complete', jobIteration: 1 },
          { state: 'complete', jobIteration: 1, slot: 2 },
        ],
      },
      'progressing',
      /0\/2/,
    ],
    [
      'a finished job',
      { service: { spec: job, jobIteration: 2 }, tasks: [1, 2].map((slot) => ({ slot, state: 'complete', jobIteration: 2 })) },
      'healthy',
      /^$/,
    ],
    [
      'H06 an older run of a slot',
      { tasks: [{ createdAt: NOW - 90_000 }, { state: 'failed', error: 'boom' }] },
      'progressing',
      /0\/1.*boom/,
    ],
    ['H07 no replicas', { service: { spec: spec('shop_web', {}, { Mode: { Replicated: { Replicas: 0 } } }) }, tasks: [] }, 'healthy', /^$/],
    [
      'B54 update "completed" though every task fails',
      { service: update('completed'), tasks: [{ state: 'failed', error: 'exit (2)' }] },
      'progressing',
      /exit \(2\)/,
    ],
    [
      'a global service without a task on some nodes',
      {
        service: { spec: global(), ...update('completed') },
        nodes: ['n5', 'n4', 'n3', 'n2', 'n1'].map((id) => node(id)),
        tasks: [
          { nodeId: 'n1', slot: 0 },
          { nodeId: 'n2', slot: 0, state: 'shutdown', desiredState: 'shutdown' },
        ],
      },
      'progressing',
      /^1\/5 tasks; none on n2, n3, n4 and 1 more$/,
    ],
    [
      'a global service whose task has ended well on one node and was never made on another',
      {
        service: { spec: spec('shop_web', {}, { Mode: { Global: {} }, template: { RestartPolicy: { Condition: 'on-failure' } } }) },
        nodes: ['n1', 'n2', 'n3'].map((id) => node(id)),
        tasks: [
          { nodeId: 'n1', slot: 0, state: 'complete', desiredState: 'shutdown' },
          { nodeId: 'n2', slot: 0 },
        ],
      },
      'progressing',
      /^2\/3 tasks; none on n3$/,
    ],
    ['a task on a node that is down', { nodes: [node('n1', { state: 'down' })] }, 'progressing', /0\/1/],
  ])('%s', (_, input, state, message) => {
    const result = health(input);
    expect(result.health).toBe(state);
    expect(result.message ?? '').toMatch(message);
  });

  it.each<[string, string[], LiveNode[], number]>([
    ['a drained node', [], [node('n1'), node('n2', { availability: 'drain' })], 1],
    ['a paused node', [], [node('n1'), node('n2', { availability: 'pause' })], 2],
    ['managers alone', ['node.role==manager'], [node('n1', { role: 'manager' }), node('n2')], 1],
    ['a label, whatever its case', ['node.labels.Zone == A'], [node('n1', { labels: { Zone: 'a' } }), node('n2')], 1],
    ['a missing label', ['node.labels.zone != a'], [node('n1', { labels: { zone: 'a' } }), node('n2')], 1],
    ['a subnet', ['node.ip == 10.0.0.0/24'], [node('n1'), node('n2', { address: '10.0.1.1' })], 1],
    ['an unknown key', ['node.colour == red'], [node('n1')], 0],
  ])('H04 wants as many tasks of a global service as nodes admit: %s', (_, constraints, nodes, desired) => {
    expect(health({ service: { spec: global(constraints) }, nodes }).desired).toBe(desired);
  });
});

describe('releaseHealth and applicationHealth', () => {
  const web = liveService(spec('shop_web'));
  const context = (services: LiveService[], tasks: LiveTask[]) => ({
    index: indexSnapshot(snapshot({ services, tasks })),
    now: NOW,
    lastSyncFailed: false,
    runsDeclared: new Set<string>(),
  });

  it('tells an unread swarm from an empty one', () => {
    expect(releaseHealth({ kind: 'unread', reason: 'daemon paused' }).health.state).toBe('unknown');
    expect(releaseHealth({ kind: 'not-installed' }).health.state).toBe('missing');
    expect(
      releaseHealth({ kind: 'read', stack: 'shop', services: [], declared: ['shop_web'], context: context([], []) }).health.state,
    ).toBe('missing');
  });

  it('names the worst service and counts the healthy ones', () => {
    const result = releaseHealth({
      kind: 'read',
      stack: 'shop',
      services: [web],
      declared: ['shop_web', 'shop_db'],
      context: context([web], [task(web)]),
    });
    expect(result.health).toEqual({ state: 'missing', message: 'shop_db: declared, not on the swarm', services: { healthy: 1, total: 2 } });
    const healthy = { state: 'healthy' as const, message: '', services: { healthy: 2, total: 2 } };
    expect(applicationHealth([healthy, result.health])).toEqual({ ...result.health, services: { healthy: 3, total: 4 } });
    expect(applicationHealth([]).state).toBe('unknown');
  });
});
