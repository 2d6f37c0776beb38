import { hostname } from 'node:os';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveService } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import { stackLabel } from '../object-labels.ts';

/** What this process's own service is and is given. All empty when it is no swarm service. */
export interface OwnStack {
  readonly serviceId?: string;
  /** The stack this process runs in. */
  readonly namespace?: string;
  readonly secrets: readonly string[];
  readonly configs: readonly string[];
  readonly volumes: readonly string[];
  /** Host paths. */
  readonly binds: readonly string[];
  /** Ids, or names as the spec has them. */
  readonly networks: readonly string[];
}

const NOT_A_SERVICE: OwnStack = { secrets: [], configs: [], volumes: [], binds: [], networks: [] };
/** Source: the labels swarmkit gives a task's container. */
const serviceIdLabel = 'com.docker.swarm.service.id';

/**
 * Finds what this process must never give to others. Its own container is looked for by host name; "there is none" is an answer and
 * is remembered; anything else that goes wrong throws and is asked anew, because guards depend on it.
 */
export class OwnStackFinder {
  readonly #swarm: DockerSwarm;
  readonly #hostname: string;
  #found: OwnStack | undefined;

  constructor(swarm: DockerSwarm, containerHostname: string = hostname()) {
    this.#swarm = swarm;
    this.#hostname = containerHostname;
  }

  /** @throws HivekeepError `swarm/*` */
  async find(signal?: AbortSignal): Promise<OwnStack> {
    this.#found ??= await this.#look(signal);
    return this.#found;
  }

  async #look(signal?: AbortSignal): Promise<OwnStack> {
    try {
      const labels = await this.#swarm.containerLabels(this.#hostname, { signal });
      const serviceId = labels[serviceIdLabel];
      return serviceId ? ownStackOf(await this.#swarm.inspectService(serviceId, { signal })) : NOT_A_SERVICE;
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/gone')) return NOT_A_SERVICE;
      throw error;
    }
  }
}

/** What a service is given, by its spec. */
export function ownStackOf(service: LiveService): OwnStack {
  const container = service.spec.TaskTemplate.ContainerSpec;
  const mounts = container?.Mounts ?? [];
  const sources = (type: string) => mounts.filter((mount) => mount.Type === type && mount.Source).map((mount) => mount.Source as string);
  const namespace = service.spec.Labels?.[stackLabel];
  const attachments = [...(service.spec.TaskTemplate.Networks ?? []), ...(service.spec.Networks ?? [])];
  return {
    serviceId: service.id,
    ...(namespace && { namespace }),
    secrets: (container?.Secrets ?? []).map((secret) => secret.SecretName),
    configs: (container?.Configs ?? []).map((config) => config.ConfigName),
    volumes: sources('volume'),
    binds: sources('bind'),
    networks: attachments.map((attachment) => attachment.Target),
  };
}
