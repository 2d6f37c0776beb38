import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { CallOptions } from '../client/engine-http.ts';
import { controllerStateLabels } from './controller-state.ts';
import { heldBy, type LeaseBinding, type LeaseRecord, leaseRecord } from './lease-record.ts';

/** Every lease's config name starts with this. */
export const LEASE_PREFIX = 'hivekeep.lease.';

/** A lease's config on a swarm: read, made and changed by compare-and-swap. Knows no rules. */
export class LeaseStore {
  readonly #swarm: DockerSwarm;
  readonly #call: CallOptions;

  constructor(swarm: DockerSwarm, timeoutMs: number) {
    this.#swarm = swarm;
    this.#call = { timeoutMs };
  }

  /** All controllers' leases on the swarm. */
  async list(signal?: AbortSignal): Promise<LeaseRecord[]> {
    const configs = await this.#swarm.listConfigs({ ...this.#call, name: LEASE_PREFIX, signal });
    return configs.map(leaseRecord);
  }

  /** @throws HivekeepError `swarm/gone` */
  async read(id: string, signal?: AbortSignal): Promise<LeaseRecord> {
    const { config } = await this.#swarm.inspectConfig(id, { ...this.#call, signal });
    return leaseRecord(config);
  }

  /** Makes the lease vacant; one that exists already is as good. */
  async createVacant(name: string, binding: LeaseBinding, signal?: AbortSignal): Promise<void> {
    const labels = controllerStateLabels.write(heldBy({}, '', 0, binding), { firstContact: 'open' });
    const spec = { Name: name, Labels: labels, Data: Buffer.from('lease').toString('base64') };
    try {
      await this.#swarm.createConfig(spec, { ...this.#call, signal });
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/exists')) throw error;
    }
  }

  /** Writes `labels` if the lease is still as `lease` was read. @throws HivekeepError `swarm/conflict`, `swarm/gone` */
  async swap(lease: LeaseRecord, labels: Labels, signal?: AbortSignal): Promise<void> {
    await this.#swarm.updateConfigLabels(lease.id, lease.version, { Name: lease.name, Labels: labels }, { ...this.#call, signal });
  }
}
