import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { z } from 'zod';

const PREFIX = 'com.hivekeep.state.';

/**
 * State kept in an object's labels: one member a label, its value JSON. What else stands in the labels (other tools' labels,
 * members of a newer version) is kept as it is.
 */
export class StateLabels<Shape extends z.ZodRawShape> {
  readonly #schema: z.ZodObject<Shape>;
  readonly #maxBytes: number;

  /** `maxBytes`: of all the object's labels, as JSON. */
  constructor(schema: z.ZodObject<Shape>, maxBytes: number) {
    this.#schema = schema;
    this.#maxBytes = maxBytes;
  }

  /** @throws HivekeepError `swarm/invalid` naming the label that can't be read */
  read(labels: Labels): z.output<z.ZodObject<Shape>> {
    const members = Object.keys(this.#schema.shape).filter((member) => labels[PREFIX + member] !== undefined);
    const raw = Object.fromEntries(members.map((member) => [member, parseJson(PREFIX + member, labels[PREFIX + member] ?? '')]));
    const parsed = this.#schema.safeParse(raw);
    if (parsed.success) return parsed.data;
    const where = parsed.error.issues.map((issue) => PREFIX + issue.path.join('.')).join(', ');
    throw new HivekeepError(
      'swarm/invalid',
      `expected state as Hivekeep writes it, found something else in ${where}; repair or remove the label`,
    );
  }

  /** `labels` with the members of `state`. @throws HivekeepError `state/too-large` */
  write(labels: Labels, state: z.input<z.ZodObject<Shape>>): Labels {
    const own = new Set(Object.keys(this.#schema.shape).map((member) => PREFIX + member));
    const kept = Object.entries(labels).filter(([key]) => !own.has(key));
    const members = Object.entries(this.#schema.parse(state)).filter(([, value]) => value !== undefined);
    const next = Object.fromEntries([...kept, ...members.map(([member, value]) => [PREFIX + member, JSON.stringify(value)])]);
    const bytes = Buffer.byteLength(JSON.stringify(next));
    if (bytes <= this.#maxBytes) return next;
    const largest = members
      .map(([member, value]) => ({ member, bytes: JSON.stringify(value).length }))
      .sort((a, b) => b.bytes - a.bytes)[0];
    throw new HivekeepError(
      'state/too-large',
      `the state would have ${bytes} of at most ${this.#maxBytes} bytes; its largest member is ${largest?.member}`,
    );
  }

  /** Whether the labels keep any state, of whatever version. */
  static holdsAny(labels: Labels): boolean {
    return Object.keys(labels).some((key) => key.startsWith(PREFIX));
  }
}

function parseJson(label: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HivekeepError('swarm/invalid', `expected JSON in ${label}, found something else; repair or remove the label`, { cause });
  }
}
