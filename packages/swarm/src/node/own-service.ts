import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { labels } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveService, OwnStack } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';

/** What this process's own service is and is given. All empty when it is no swarm service. */
export interface OwnService extends OwnStack {
  readonly serviceId?: string;
  /** Host paths. */
  readonly binds: ReadonlySet<string>;
  /** Ids, or names as the spec has them. */
  readonly networks: ReadonlySet<string>;
}

/** Source: the labels swarmkit gives a task's container. */
const serviceIdLabel = 'com.docker.swarm.service.id';

/**
 * Finds what this process must never give to others. Its own container is looked for by host name; "there is none" is an answer and
 * is remembered; anything else that goes wrong throws and is asked anew, because guards depend on it.
 */
export class OwnServiceFinder {
  readonly #swarm: DockerSwarm;
  readonly #hostname: string;
  readonly #secretsDir: string;
  #found: Promise<OwnService> | undefined;

  /** `secretsDir`: where secrets are mounted; the names of its files count as ours too. */
  constructor(options: { swarm: DockerSwarm; hostname?: string; secretsDir?: string }) {
    this.#swarm = options.swarm;
    this.#hostname = options.hostname ?? hostname();
    this.#secretsDir = options.secretsDir ?? '/run/secrets';
  }

  /** Callers that ask at the same time share one look, which none of their signals ends. @throws HivekeepError `swarm/*` */
  find(): Promise<OwnService> {
    this.#found ??= this.#look().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #look(): Promise<OwnService> {
    const service = await this.#ownService();
    const own = givenTo(service);
    return { ...own, secrets: new Set([...own.secrets, ...(await fileNames(this.#secretsDir))]) };
  }

  async #ownService(): Promise<LiveService | undefined> {
    try {
      const containerLabels = await this.#swarm.containerLabels(this.#hostname);
      const serviceId = containerLabels[serviceIdLabel];
      return serviceId ? await this.#swarm.inspectService(serviceId) : undefined;
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/gone')) return undefined;
      throw error;
    }
  }
}

/** What a service is given, by its spec; all empty without one. */
export function givenTo(service: LiveService | undefined): OwnService {
  const task = service?.spec.TaskTemplate;
  const mounts = task?.ContainerSpec?.Mounts ?? [];
  const sources = (type: string) => new Set(mounts.flatMap((mount) => (mount.Type === type && mount.Source ? [mount.Source] : [])));
  const namespace = service?.spec.Labels?.[labels.stack];
  const attachments = [...(task?.Networks ?? []), ...(service?.spec.Networks ?? [])];
  return {
    ...(service && { serviceId: service.id }),
    ...(namespace && { namespace }),
    secrets: new Set((task?.ContainerSpec?.Secrets ?? []).map((secret) => secret.SecretName)),
    configs: new Set((task?.ContainerSpec?.Configs ?? []).map((config) => config.ConfigName)),
    volumes: sources('volume'),
    binds: sources('bind'),
    networks: new Set(attachments.map((attachment) => attachment.Target)),
  };
}

async function fileNames(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw new HivekeepError('config/invalid', `expected a readable folder of secrets at ${dir}`, { cause });
  }
}
