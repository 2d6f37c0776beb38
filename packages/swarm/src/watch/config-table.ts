import { labels } from '@hivekeep/application';
import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveObject } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { ListedConfig } from '../client/swarm-calls.ts';

/** Who wants the data of some configs the moment they are read (release records), instead of reading them again. */
export interface ConfigDataReader {
  wants(labels: Labels): boolean;
  take(config: LiveObject, data: Buffer): void;
  /** Ids that are still there, after a full read. */
  keep(ids: ReadonlySet<string>): void;
}

const FULL_READ_TIMEOUT_MS = 30_000;
/** From so many on, one list is cheaper than reading one by one. */
const MAX_SINGLE_READS = 50;

/**
 * All configs of the swarm without their data. A full list ships every byte of every config, so it is read at the start and after a
 * resync; then only what a hint names, and our own small ones (lease, states, intents), which are listed by label at each look.
 */
export class ConfigTable {
  readonly #swarm: DockerSwarm;
  readonly #reader: ConfigDataReader | undefined;
  readonly #byId = new Map<string, LiveObject>();
  readonly #dirty = new Set<string>();
  #complete = false;

  constructor(swarm: DockerSwarm, reader?: ConfigDataReader) {
    this.#swarm = swarm;
    this.#reader = reader;
  }

  /** Marks one config for the next refresh; undefined: all. */
  mark(id?: string): void {
    if (id === undefined) this.#complete = false;
    else this.#dirty.add(id);
  }

  get(id: string): LiveObject | undefined {
    return this.#byId.get(id);
  }

  /** Reads what is marked; gives all. Marks stay where a read fails. */
  async refresh(signal?: AbortSignal): Promise<LiveObject[]> {
    if (!this.#complete || this.#dirty.size > MAX_SINGLE_READS) await this.#readAll(signal);
    else {
      await this.#readOwn(signal);
      for (const id of [...this.#dirty]) await this.readOne(id, signal);
    }
    return [...this.#byId.values()];
  }

  /** Reads one config now; undefined when it is gone. */
  async readOne(id: string, signal?: AbortSignal): Promise<LiveObject | undefined> {
    this.#dirty.delete(id);
    try {
      const listed = await this.#swarm.inspectConfig(id, { signal });
      this.#put(listed);
      return listed.config;
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/gone')) {
        this.#byId.delete(id);
        return undefined;
      }
      this.#dirty.add(id);
      throw error;
    }
  }

  async #readAll(signal?: AbortSignal): Promise<void> {
    // What is marked from here on is read again; what was is part of this read, and of the next one if this fails.
    this.#dirty.clear();
    this.#complete = true;
    try {
      const wants = (its: Labels) => this.#reader?.wants(its) ?? false;
      const listed = await this.#swarm.listConfigsWithData(wants, { signal, timeoutMs: FULL_READ_TIMEOUT_MS });
      this.#byId.clear();
      for (const config of listed) this.#put(config);
      this.#reader?.keep(new Set(this.#byId.keys()));
    } catch (error) {
      this.#complete = false;
      throw error;
    }
  }

  async #readOwn(signal?: AbortSignal): Promise<void> {
    const own = await this.#swarm.listConfigs({ label: labels.type, signal });
    const ids = new Set(own.map((config) => config.id));
    for (const [id, config] of this.#byId) if (config.labels[labels.type] !== undefined && !ids.has(id)) this.#byId.delete(id);
    for (const config of own) this.#byId.set(config.id, config);
  }

  #put({ config, data }: ListedConfig): void {
    this.#byId.set(config.id, config);
    if (data && this.#reader?.wants(config.labels)) this.#reader.take(config, data);
  }
}
