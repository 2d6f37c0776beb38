import { labels } from '@hivekeep/application';
import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveObject } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { CallOptions } from '../client/engine-http.ts';
import type { ConfigDataReader } from '../watch/config-table.ts';

/** The record format: what a config's labels and data mean. */
export interface RecordCodec<R> {
  isRecord(labels: Labels): boolean;
  /** @throws when the data can't be read */
  decode(data: Uint8Array): R | Promise<R>;
}

/** A record ready to be stored. */
export interface EncodedRecord {
  readonly name: string;
  readonly labels: Labels;
  readonly data: Uint8Array;
}

export interface StoredRecord<R> {
  readonly config: LiveObject;
  readonly record: R;
}

/** A record nobody can decode: it is kept, shown, and never deleted by itself. */
export interface UnreadableRecord {
  readonly config: LiveObject;
  readonly error: unknown;
}

type Decoded<R> = { readonly record: R } | { readonly error: unknown };

const BUDGET_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 6;

/**
 * Release records of a swarm. They never change, so each is decoded once: give this to a `SwarmWatcher` as `configData`, and
 * records are read with its lists at no further call.
 */
export class RecordStore<R> implements ConfigDataReader {
  readonly #swarm: DockerSwarm;
  readonly #codec: RecordCodec<R>;
  readonly #beforeWrite: () => void;
  readonly #budgetBytes: number;
  readonly #held = new Map<string, Promise<Decoded<R>>>();

  /** `beforeWrite` throws when this process must not write: the lease's `assertActive`. */
  constructor(options: { swarm: DockerSwarm; codec: RecordCodec<R>; beforeWrite: () => void; budgetBytes?: number }) {
    this.#swarm = options.swarm;
    this.#codec = options.codec;
    this.#beforeWrite = options.beforeWrite;
    this.#budgetBytes = options.budgetBytes ?? BUDGET_BYTES;
  }

  wants(labels: Labels): boolean {
    return this.#codec.isRecord(labels);
  }

  take(config: LiveObject, data: Buffer): void {
    if (!this.#held.has(config.id)) this.#held.set(config.id, this.#decode(data));
  }

  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#held.keys()) if (!ids.has(id)) this.#held.delete(id);
  }

  /** The records among a snapshot's configs; those not read before are read now, one call each. One that is gone by then is left out. */
  async of(
    configs: readonly LiveObject[],
    options: CallOptions = {},
  ): Promise<{ records: StoredRecord<R>[]; unreadable: UnreadableRecord[] }> {
    const records: StoredRecord<R>[] = [];
    const unreadable: UnreadableRecord[] = [];
    for (const config of configs.filter((each) => this.wants(each.labels))) {
      const result = await this.#decoded(config, options);
      if (result === undefined) continue;
      if ('record' in result) records.push({ config, record: result.record });
      else unreadable.push({ config, error: result.error });
    }
    return { records, unreadable };
  }

  /**
   * Stores a record under the first free number from `revision` on. `encode` is called again with the next number when a name is
   * taken, after `beforeRetry` (renew the lease: a taken name may mean a successor).
   * @throws HivekeepError `swarm/exists` after 6 attempts, `record/too-large` and what `encode` and `beforeRetry` throw
   */
  async create(
    request: { revision: number; encode: (revision: number) => EncodedRecord | Promise<EncodedRecord>; beforeRetry: () => Promise<void> },
    options: CallOptions = {},
  ): Promise<{ id: string; revision: number }> {
    for (let attempt = 0; ; attempt++) {
      const revision = request.revision + attempt;
      const encoded = await request.encode(revision);
      const spec = { Name: encoded.name, Labels: encoded.labels, Data: Buffer.from(encoded.data).toString('base64') };
      try {
        this.#beforeWrite();
        const { id } = await this.#swarm.createConfig(spec, options);
        return { id, revision };
      } catch (error) {
        if (!HivekeepError.is(error, 'swarm/exists') || attempt + 1 >= ATTEMPTS) throw error;
        await request.beforeRetry();
      }
    }
  }

  /** Removes by id; one that is gone already is success. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    this.#beforeWrite();
    await this.#swarm.removeConfig(id, options);
    this.#held.delete(id);
  }

  /** How many bytes the records among a snapshot's configs use; `warning` from half of the budget on, naming the largest release. */
  usage(configs: readonly LiveObject[]): { bytes: number; warning?: string } {
    const { bytes, advice } = this.#measure(configs);
    return { bytes, ...(bytes * 2 >= this.#budgetBytes && { warning: `${advice}; lower its historyMax` }) };
  }

  /** @throws HivekeepError `record/budget` naming the largest release, when `adding` more bytes do not fit */
  assertFits(configs: readonly LiveObject[], adding: number): void {
    const { bytes, advice } = this.#measure(configs);
    if (bytes + adding > this.#budgetBytes)
      throw new HivekeepError('record/budget', `a record of ${adding} bytes does not fit: ${advice}; lower its historyMax`);
  }

  #measure(configs: readonly LiveObject[]): { bytes: number; advice: string } {
    const perRelease = new Map<string, number>();
    for (const config of configs.filter((each) => this.wants(each.labels))) {
      const release = config.labels[labels.record.release] ?? '';
      perRelease.set(release, (perRelease.get(release) ?? 0) + (config.size ?? 0));
    }
    const bytes = [...perRelease.values()].reduce((sum, size) => sum + size, 0);
    const largest = [...perRelease].sort(([, a], [, b]) => b - a)[0];
    const most = largest ? `, ${largest[1]} of them by release ${largest[0]}` : '';
    return { bytes, advice: `${bytes} of ${this.#budgetBytes} bytes of release records are used${most}` };
  }

  async #decoded(config: LiveObject, options: CallOptions): Promise<Decoded<R> | undefined> {
    const held = this.#held.get(config.id);
    if (held) return held;
    const listed = await this.#swarm.inspectConfig(config.id, options).catch((error: unknown) => {
      if (HivekeepError.is(error, 'swarm/gone')) return undefined;
      throw error;
    });
    if (!listed) return undefined;
    const decoded = this.#decode(listed.data);
    this.#held.set(config.id, decoded);
    return decoded;
  }

  async #decode(data: Buffer): Promise<Decoded<R>> {
    try {
      return { record: await this.#codec.decode(data) };
    } catch (error) {
      return { error };
    }
  }
}
