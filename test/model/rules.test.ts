import { describe, expect, it } from 'vitest';
import { RULES, type Rule, runWithout } from './sim/rules.ts';
import './sim/approval-traces.ts';
import './sim/holder-traces.ts';
import './sim/intent-traces.ts';
import './sim/rule-traces.ts';
import { playTrace, traceNames } from './sim/scene.ts';
import './sim/sweep-traces.ts';
import './sim/traces.ts';
import { installVirtualTime } from './sim/virtual-time.ts';

installVirtualTime();

/** The scripted history, by the beginning of its name, that does not come out without the rule. */
const MISSED_BY = {
  'the lease is changed by compare-and-swap alone': 'of those that start at once',
  'epochs grow over a lease deleted by hand': 'T1 ',
  'a new holder starts with an empty memory': 'T3',
  'a holder stops when its time is over': 'a process that stood still',
  'the first deletion waits one lease time': 'who has just taken the lease',
  'a higher epoch on an object deposes': 'who finds an object of a later epoch',
  'an update assumes the index of its plan': 'an update that lands late',
  'a changed spec is left to whoever changed it': 'a write that finds a service changed',
  'deletes go by id': 'T7 a delete among the configs',
  'evidence asks the remote': 'T4',
  'an invalid set is silence': 'T5',
  'departed is missing in two loads': 'what is missing in one load',
  'another line of history starts anew': 'what a rewritten history lacks',
  'the caller sends the commit it has': 'what left before a new holder came',
  'each batch loads anew': 'what is declared again when its mark',
  'a batch renews the lease': 'each phase of a sweep',
  'many at once need an approval': 'holds what leaves',
  'an empty set needs an approval': 'a set without any application',
  'first contact needs an approval': 'what left while the lease was made anew',
  'an approval is used once': 'what a person let go and was declared again',
  'an approval ends after a day': 'what a person let go a day ago',
  'a move outlives later removals': 'T6',
  'only its own name takes a move back': 'what moved keeps its volumes, also when its application',
  'a mark is kept before the first deletion': 'T7 a delete among the services',
  'a new holder writes the marks anew': 'a mark that its former holder',
  'what is marked is not healed': 'what is declared again while its stack goes',
  'a half-done phase is finished': 'T7 a delete among the services',
  'what was just begun is no half-done phase': 'what is declared again when its removal is noted',
  'a newer record voids the mark': 'a record stored by hand',
  'a newer record leaves a noted move': "what moved keeps its volumes, also when a record of it as shop's",
  'own records are no other declaration': 'T9',
  'what others declare stays': 'a volume that a declared application mounts',
  'what a service mounts stays': "a volume that a person's own service",
  'volumes that no record names stay': 'a volume that no record names',
  'records go oldest first': 'who goes on with records',
  'intents are swept': 'T10',
  'evidence is read after the tickets': 'what is declared again while the agents',
  'tickets run out': 'T11',
  'nothing is applied while an unanswered removal may land': 'a volume removal that is not answered',
  'agents refuse lower epochs': 'an agent obeys',
  'uncovered nodes hold the records': 'T12',
  'nodes that left are uncovered': 'T12',
  'nodes are asked again before the records go': 'a node that nobody saw comes back when the records were next',
  'an intent stands before the first write': 'T10',
  'a revision follows all records': 'an update that hung',
  'a revision follows all intents': 'what failed again and again',
  'what was begun is finished or found equal': 'an update that was never recorded',
  'left-over intents are taken back': 'an intent that its holder',
  'what a hung update may change is written again': 'an update that hung',
  'trimming keeps the last record of a volume': 'the last record that names',
} satisfies Record<Rule, string>;

it('each rule is missed by a scripted history', () => {
  expect(Object.keys(MISSED_BY).sort()).toEqual([...RULES].sort());
});

describe('without a rule, a scripted history fails', () => {
  it.each(Object.entries(MISSED_BY) as [Rule, string][])('%s: %s', async (rule, name) => {
    expect(traceNames().filter((full) => full.startsWith(name))).toHaveLength(1);
    await expect(runWithout(rule, () => playTrace(name))).rejects.toThrow();
  });
});
