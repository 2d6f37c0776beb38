import { initialStatus, type Status, type View } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { judgeRollback, judgeSync } from './judge-sync.ts';

const health = (state: Status['health']['state']) => ({ state, message: 'task: no suitable node', services: { healthy: 0, total: 1 } });
const result = (finishedAt: string, succeeded = true, error?: string) => ({
  revision: 'b'.repeat(40),
  startedAt: finishedAt,
  finishedAt,
  succeeded,
  ...(error !== undefined && { error }),
});

function view(status: Partial<Status>, lastSync = result('t0'), state: Status['sync']['state'] = 'synced'): View {
  const initial = initialStatus();
  return {
    spec: {
      name: 'shop',
      source: { repoURL: 'https://git.example/shop.git', revision: 'main' },
      allow: {},
      destination: {},
      syncPolicy: { automated: true },
      driftDetection: 'manifest',
    },
    status: {
      ...initial,
      observedAt: 'o0',
      health: health('healthy'),
      sync: { ...initial.sync, state, lastSync, revision: 'b'.repeat(40) },
      ...status,
    },
  };
}

const before = view({});

describe('judgeSync', () => {
  it.each<[string, View, number | undefined]>([
    ['waits while nothing has changed', view({}), undefined],
    ['does not end on the record before an apply', view({ observedAt: 'o1', working: true }, result('t0'), 'out-of-sync'), undefined],
    ['does not end when it was looked at and is out of sync', view({ observedAt: 'o1' }, result('t0'), 'out-of-sync'), undefined],
    ['ends well on a new result and health', view({ observedAt: 'o1' }, result('t1')), 0],
    ['waits for progressing services', view({ health: health('progressing') }, result('t1')), undefined],
    ['fails on a new result and degraded services', view({ health: health('degraded') }, result('t1')), 6],
    ['fails on a failed result', view({}, result('t1', false, 'rollback started')), 6],
    ['tells a refused sync from a failed rollout', view({ code: 'policy/refused' }, result('t1', false, 'host path')), 1],
    ['tells a rollout that took too long', view({ code: 'rollout/timeout' }, result('t1', false, 'late')), 5],
    ['ends well when there was nothing to do', view({ observedAt: 'o1' }), 0],
    ['ends when it was looked at and refused before any write', view({ observedAt: 'o1', error: 'bad file', code: 'compose/invalid' }), 1],
    ['waits out a silent swarm', view({ observedAt: 'o1', error: 'silent', code: 'swarm/unreachable' }, result('t1')), undefined],
  ])('%s', (_title, now, exitCode) => {
    expect(judgeSync(before, now)?.exitCode).toBe(exitCode);
  });
});

describe('judgeRollback', () => {
  it.each<[string, View, number | undefined]>([
    ['waits while there is no result, whatever Git says', view({ observedAt: 'o1', error: 'away', code: 'source/unreachable' }), undefined],
    ['ends well out of sync with Git', view({ observedAt: 'o1' }, result('t1'), 'out-of-sync'), 0],
    ['waits for progressing services', view({ health: health('progressing') }, result('t1'), 'out-of-sync'), undefined],
    ['fails on a failed result', view({ code: 'rollout/failed' }, result('t1', false, 'wedged')), 6],
    ['tells a refused one', view({ code: 'policy/refused' }, result('t1', false, 'a secret is gone')), 1],
    ['waits out a silent swarm', view({ code: 'swarm/unreachable' }, result('t1')), undefined],
  ])('%s', (_title, now, exitCode) => {
    expect(judgeRollback(before, now)?.exitCode).toBe(exitCode);
  });
});
