import { intentName, labels } from '@hivekeep/application';
import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveObject } from '@hivekeep/planner';
import { z } from 'zod';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { CallOptions } from '../client/engine-http.ts';

const Names = z.array(z.string()).default([]);
const Made = z.object({ services: Names, networks: Names, configs: Names, secrets: Names });

/** What is about to be written for a revision: whoever finds it knows whose the objects are and can finish or settle it. */
export interface Intent {
  readonly release: string;
  /** 1 + the highest number of the release's records and intents. */
  readonly revision: number;
  /** The owner stamp. */
  readonly owner: string;
  readonly application: string;
  readonly epoch: number;
  /** Names of the objects about to be made or written. */
  readonly names: z.infer<typeof Made>;
}

export interface StoredIntent extends Intent {
  readonly id: string;
  /** The swarm-wide index at which it was made. */
  readonly version: number;
  readonly createdAt: number;
}

const MAX_NAMES_BYTES = 256 * 1024;

/** The intents among a snapshot's configs. @throws HivekeepError `swarm/invalid` for one that can't be read */
export function intentsOf(configs: readonly LiveObject[]): StoredIntent[] {
  return configs.filter((config) => config.labels[labels.type] === 'intent').map(intentOf);
}

/**
 * Intents on the swarm: one config each, all of it in labels, so that a listing by label is enough. Its unique name is the
 * fence: of several writers of one revision a single one makes it.
 */
export class IntentStore {
  readonly #swarm: DockerSwarm;
  readonly #beforeWrite: () => void;

  /** `beforeWrite` throws when this process must not write: the lease's `assertActive`. */
  constructor(options: { swarm: DockerSwarm; beforeWrite: () => void }) {
    this.#swarm = options.swarm;
    this.#beforeWrite = options.beforeWrite;
  }

  async list(options: CallOptions = {}): Promise<StoredIntent[]> {
    return intentsOf(await this.#swarm.listConfigs({ ...options, label: `${labels.type}=intent` }));
  }

  /** @returns its id; @throws HivekeepError `swarm/exists` when someone else has it, `state/too-large`, `lease/deposed`, `swarm/*` */
  async create(intent: Intent, options: CallOptions = {}): Promise<string> {
    const spec = {
      Name: intentName(intent.release, intent.revision),
      Labels: labelsOf(intent),
      Data: Buffer.from('intent').toString('base64'),
    };
    this.#beforeWrite();
    return (await this.#swarm.createConfig(spec, options)).id;
  }

  /** Removes by id; one that is gone already is success. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    this.#beforeWrite();
    await this.#swarm.removeConfig(id, options);
  }
}

function labelsOf(intent: Intent): Labels {
  const names = JSON.stringify(intent.names);
  if (names.length > MAX_NAMES_BYTES)
    throw new HivekeepError(
      'state/too-large',
      `release ${intent.release} makes too many objects for one intent (${names.length} bytes of names)`,
    );
  return {
    [labels.type]: 'intent',
    [labels.release]: intent.release,
    [labels.revision]: String(intent.revision),
    [labels.owner]: intent.owner,
    [labels.application]: intent.application,
    [labels.epoch]: String(intent.epoch),
    [labels.intentNames]: names,
  };
}

function intentOf({ id, name, version, createdAt, labels: found }: LiveObject): StoredIntent {
  const release = found[labels.release] ?? '';
  const revision = Number(found[labels.revision]);
  if (!release || !Number.isInteger(revision) || revision < 1)
    throw new HivekeepError(
      'swarm/invalid',
      `config ${name} calls itself an intent and names no release and revision; look at it and remove it`,
    );
  return {
    id,
    version,
    createdAt,
    release,
    revision,
    owner: found[labels.owner] ?? '',
    application: found[labels.application] ?? '',
    epoch: Number(found[labels.epoch]) || 0,
    names: readNames(name, found[labels.intentNames] ?? ''),
  };
}

function readNames(name: string, text: string): Intent['names'] {
  try {
    return Made.parse(JSON.parse(text || '{}'));
  } catch (cause) {
    throw new HivekeepError('swarm/invalid', `config ${name}: expected names of objects in ${labels.intentNames}, found something else`, {
      cause,
    });
  }
}
