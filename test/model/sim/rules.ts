/** The rules of the protocol that a run can do without, to see that it is missed. */
export const RULES = [
  'the lease is changed by compare-and-swap alone',
  'epochs grow over a lease deleted by hand',
  'a new holder starts with an empty memory',
  'a holder stops when its time is over',
  'the first deletion waits one lease time',
  'a higher epoch on an object deposes',
  'an update assumes the index of its plan',
  'a changed spec is left to whoever changed it',
  'deletes go by id',
  'evidence asks the remote',
  'an invalid set is silence',
  'departed is missing in two loads',
  'another line of history starts anew',
  'the caller sends the commit it has',
  'each batch loads anew',
  'a batch renews the lease',
  'many at once need an approval',
  'an empty set needs an approval',
  'first contact needs an approval',
  'an approval is used once',
  'an approval ends after a day',
  'a move outlives later removals',
  'only its own name takes a move back',
  'a mark is kept before the first deletion',
  'a new holder writes the marks anew',
  'what is marked is not healed',
  'a half-done phase is finished',
  'what was just begun is no half-done phase',
  'a newer record voids the mark',
  'a newer record leaves a noted move',
  'own records are no other declaration',
  'what others declare stays',
  'what a service mounts stays',
  'volumes that no record names stay',
  'records go oldest first',
  'intents are swept',
  'evidence is read after the tickets',
  'tickets run out',
  'nothing is applied while an unanswered removal may land',
  'agents refuse lower epochs',
  'uncovered nodes hold the records',
  'nodes that left are uncovered',
  'nodes are asked again before the records go',
  'an intent stands before the first write',
  'a revision follows all records',
  'a revision follows all intents',
  'what was begun is finished or found equal',
  'left-over intents are taken back',
  'what a hung update may change is written again',
  'trimming keeps the last record of a volume',
] as const;
export type Rule = (typeof RULES)[number];

let without: Rule | undefined;

export function isOff(rule: Rule): boolean {
  return rule === without;
}

/** Runs without one rule until `work` has ended. */
export async function runWithout<T>(rule: Rule, work: () => Promise<T>): Promise<T> {
  without = rule;
  try {
    return await work();
  } finally {
    without = undefined;
  }
}
