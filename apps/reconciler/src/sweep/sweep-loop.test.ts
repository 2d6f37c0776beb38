import type { AppSetAnswer } from '@hivekeep/contracts';
import { silentLogger } from '@hivekeep/runtime';
import { eventually } from '@hivekeep/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type LoadedSet, SweepLoop } from './sweep-loop.ts';

const set = (revision: string, at: number): LoadedSet => {
  const answer: AppSetAnswer = {
    ...{ mode: 'git', source: 'test', identity: 'test', digest: '', complete: true, applications: [], others: [] },
    revision,
  };
  return { answer, at, accepted: true };
};

/** A loop whose turns end when told to; the revisions that each got. */
function given() {
  const turns: { readonly revisions: string[]; end(): void; fail(): void }[] = [];
  const reports: (string | undefined)[] = [];
  const stop = new AbortController();
  const turn = (loads: readonly LoadedSet[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ orphaned: string[]; pruned: string[]; pruneHeldBy: string[] }>();
    const revisions = loads.map(({ answer, at }) => `${answer.revision} at ${at}`);
    turns.push({ revisions, end: () => resolve({ orphaned: [], pruned: [], pruneHeldBy: [] }), fail: () => reject(new Error('a fault')) });
    return promise;
  };
  const loop = new SweepLoop({
    sweeper: { turn },
    logger: silentLogger,
    swept: async (_, newest) => void reports.push(newest?.revision),
  });
  const running = loop.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    for (const each of turns) each.end();
    await running;
  });
  return { loop, turns, reports };
}

it('gives a turn after each load, and the next one all that was loaded during a slow turn, with its time', async () => {
  const { loop, turns, reports } = given();
  loop.loaded(set('c1', 1));
  await eventually(() => turns.length === 1);
  loop.loaded(set('c2', 2));
  loop.loaded(set('c3', 3));
  turns[0]?.end();
  await eventually(() => turns.length === 2);
  expect(turns.map(({ revisions }) => revisions)).toEqual([['c1 at 1'], ['c2 at 2', 'c3 at 3']]);
  turns[1]?.end();
  await eventually(() => reports.length === 2);
  expect(reports).toEqual(['c1', 'c3']);
});

it('goes on after a turn that failed, and when nothing could be loaded', async () => {
  const { loop, turns, reports } = given();
  loop.loaded(set('c1', 1));
  await eventually(() => turns.length === 1);
  turns[0]?.fail();
  loop.loaded(undefined);
  await eventually(() => turns.length === 2);
  turns[1]?.end();
  await eventually(() => reports.length === 1);
  expect(reports).toEqual([undefined]);
});
