import { NO_EVIDENCE } from '@hivekeep/planner';
import { createLogger, MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { Board } from '../board.ts';
import { SweepItems } from './sweep-items.ts';
import type { SweepOutcome } from './sweep-release.ts';

it('logs each step of a sweep with its release', async () => {
  const bus = new MemoryBus(new MemoryBroker(), silentLogger);
  onTestFinished(() => bus.close());
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({ format: 'json', write: (line) => lines.push(JSON.parse(line)) });
  const items = new SweepItems(new Board(bus, 'home', logger, () => new Date(0)), () => new Date(0));
  const one = { application: 'shop', release: 'front' };
  const outcome: SweepOutcome = { action: 'hold', mark: undefined, removedVolumes: [], uncovered: [], strays: [] };
  items.fail(one, 'no answer', NO_EVIDENCE);
  items.note(one, { ...outcome, uncovered: [{ node: 'n1', hostname: 'host-1', reason: 'no agent' }] }, NO_EVIDENCE);
  items.note(one, { ...outcome, action: 'done' }, NO_EVIDENCE);
  expect(lines.map(({ event, application, release }) => [event, application, release])).toEqual([
    ['prune-failed', 'shop', 'front'],
    ['prune-held', 'shop', 'front'],
    ['resources-pruned', 'shop', 'front'],
  ]);
});
