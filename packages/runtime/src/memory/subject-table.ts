import type { WireRequest } from '../wire.ts';

interface Entry {
  readonly queue: string;
  readonly matches: (subject: string) => boolean;
  readonly deliver: (request: WireRequest) => void;
}

/** Subscriptions by subject, with queue groups, as a NATS server keeps them. */
export class SubjectTable {
  readonly #entries = new Set<Entry>();
  #turn = 0;

  /** `*` in the pattern stands for one token. Returns what ends the subscription. */
  add(pattern: string, queue: string, deliver: (request: WireRequest) => void): () => void {
    const entry = { queue, matches: subjectMatcher(pattern), deliver };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  /** One receiver of each queue that listens on the subject, in turn. */
  receivers(subject: string): ((request: WireRequest) => void)[] {
    const queues = new Map<string, Entry[]>();
    for (const entry of this.#entries) {
      if (!entry.matches(subject)) continue;
      const members = queues.get(entry.queue);
      if (members) members.push(entry);
      else queues.set(entry.queue, [entry]);
    }
    this.#turn += 1;
    return [...queues.values()].flatMap((members) => members[this.#turn % members.length]?.deliver ?? []);
  }
}

/** Whether a subject fits a pattern in which `*` is one whole token. */
export function subjectMatcher(pattern: string): (subject: string) => boolean {
  if (!pattern.includes('*')) return (subject) => subject === pattern;
  const expected = pattern.split('.');
  return (subject) => {
    const tokens = subject.split('.');
    return tokens.length === expected.length && expected.every((token, at) => token === '*' || token === tokens[at]);
  };
}
