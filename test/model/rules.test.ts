import { describe, expect, it } from 'vitest';
import { RULES, type Rule, runWithout } from './sim/rules.ts';
import './sim/rule-traces.ts';
import { playTrace } from './sim/scene.ts';
import './sim/traces.ts';
import { installVirtualTime } from './sim/virtual-time.ts';

installVirtualTime();

/** The scripted history, by the beginning of its name, that does not come out without the rule. */
const MISSED_BY = {
  'the lease is changed by compare-and-swap alone': 'of those that start at once',
  'epochs grow over a lease deleted by hand': 'T1',
  'an update assumes the index of its plan': 'an update that lands late',
  'deletes go by id': 'T7 a delete among the configs',
  'evidence asks the remote': 'T4',
  'an invalid set is silence': 'T5',
  'departed is missing in two loads': 'what is missing in one load',
  'another line of history starts anew': 'what a rewritten history lacks',
  'each batch loads anew': 'what is declared again when its mark',
  'many at once need an approval': 'holds what leaves',
  'a move outlives later removals': 'T6',
  'a mark is kept before the first deletion': 'T7 a delete among the services',
  'a half-done phase is finished': 'T7 a delete among the services',
  'own records are no other declaration': 'T9',
  'what others declare stays': 'T13',
  'volumes that no record names stay': 'a volume that no record names',
  'intents are swept': 'T10',
  'tickets run out': 'T11',
  'agents refuse lower epochs': 'an agent obeys',
  'uncovered nodes hold the records': 'T12',
  'nodes that left are uncovered': 'T12',
  'an intent stands before the first write': 'T10',
  'trimming keeps the last record of a volume': 'the last record that names',
} satisfies Partial<Record<Rule, string>>;

/** Rules that no history is expected to miss while the others stand, and why: they shorten what another one ends. */
const MASKED: Record<Exclude<Rule, keyof typeof MISSED_BY>, string> = {
  'a new holder starts with an empty memory': 'each batch loads anew, in the same line of history',
  'a holder stops when its time is over': 'it finds the next epoch on the lease when it renews, and on objects when it looks',
  'the first deletion waits one lease time': 'each batch renews the lease and loads anew',
  'a higher epoch on an object deposes': 'the next renewal finds the lease taken; updates assume their index',
  'a changed spec is left to whoever changed it': 'no property is about it: apps/reconciler/src/reconciler.test.ts has it',
  'the caller sends the commit it has': 'a source asks Git for each load that counts',
  'a batch renews the lease': 'each look and each write of a mark finds a successor',
  'a newer record voids the mark': 'nothing is deployed while a mark stands: packages/planner has its test',
  'what a service mounts stays': 'who mounts a volume declares it',
  'evidence is read after the tickets': 'it was read in the same turn; tickets run out 10 s later',
};

it('each rule is missed by a history, or it is said why not', () => {
  expect([...Object.keys(MISSED_BY), ...Object.keys(MASKED)].sort()).toEqual([...RULES].sort());
});

describe('without a rule, a scripted history fails', () => {
  it.each(Object.entries(MISSED_BY) as [Rule, string][])('%s: %s', async (rule, name) => {
    await expect(runWithout(rule, () => playTrace(name))).rejects.toThrow();
  });
});
