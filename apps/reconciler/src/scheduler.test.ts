import { silentLogger } from '@hivekeep/runtime';
import { aSpec } from '@hivekeep/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Scheduler } from './scheduler.ts';
import { ApplicationEntry } from './work/application-entry.ts';

/** A scheduler of these applications; each tick's passes end when told to. */
function given(names: readonly string[], intervalMs = 60_000) {
  const entries = names.map((name) => new ApplicationEntry(aSpec({ name })));
  const ticks: { readonly names: string[]; end(): void; fail(): void }[] = [];
  const stop = new AbortController();
  const scheduler = new Scheduler({
    applications: () => entries,
    tick: (due) => {
      const passes = due.map(() => Promise.withResolvers<void>());
      ticks.push({
        names: due.map(({ name }) => name),
        end: () => passes.forEach((pass) => void pass.resolve()),
        fail: () => passes.forEach((pass) => void pass.reject(new Error('a fault'))),
      });
      return passes.map(({ promise }) => promise);
    },
    nextDue: (_, began) => began + intervalMs,
    monotonicNow: () => performance.now(),
    logger: silentLogger,
  });
  const running = scheduler.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    for (const tick of ticks) tick.end();
    await running;
  });
  return { entries, scheduler, ticks, begun: (count: number) => vi.waitFor(() => expect(ticks).toHaveLength(count), 3_000) };
}

it('starts what is due at one moment as one tick', async () => {
  const { ticks, begun } = given(['shop', 'blog']);
  await begun(1);
  expect(ticks[0]?.names).toEqual(['shop', 'blog']);
});

it('keeps nobody back because one still works', async () => {
  const { entries, scheduler, ticks, begun } = given(['shop'], 60_000);
  await begun(1);
  entries.push(new ApplicationEntry(aSpec({ name: 'blog' })));
  scheduler.wake();
  await begun(2);
  expect(ticks[1]?.names).toEqual(['blog']);
});

it('takes an application that ended unexpectedly again', async () => {
  const { ticks, begun } = given(['shop'], 10);
  await begun(1);
  ticks[0]?.fail();
  await begun(2);
});

it('runs a replaced declaration as soon as the pass of the old one has ended', async () => {
  const { entries, scheduler, ticks, begun } = given(['shop']);
  await begun(1);
  entries[0]?.replace(aSpec({ name: 'shop', syncPolicy: { automated: true } }));
  ticks[0]?.end();
  scheduler.wake();
  await begun(2);
});
