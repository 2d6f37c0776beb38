import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfigSpec, NetworkCreate, SecretSpec, ServiceSpec } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveService } from '@hivekeep/planner';
import { Slots } from '@hivekeep/runtime';
import { type DockerSwarm, type OwnWrite, type SwarmWatcher, TICKET_MS } from '@hivekeep/swarm';
import type { WriteGate } from './apply/gate.ts';
import { within } from './work/lane.ts';

/**
 * Writes under way at once, of all applications together. A manager takes no more of them in a second when more are sent, and what
 * waits here does not use up a call's timeout, nor the connections that the lease and looks need.
 */
const PARALLEL_WRITES = 8;

export type RemovableKind = 'service' | 'config' | 'secret' | 'network';

/** Every write to the swarm's objects: the gate stands right before each, and its echo in the events wakes nobody. */
export class Daemon {
  readonly #swarm: DockerSwarm;
  readonly #watcher: SwarmWatcher;
  readonly gate: WriteGate;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #slots = new Slots(PARALLEL_WRITES);
  readonly #monotonicNow: () => number;
  /** Monotonic milliseconds. What an agent was asked for in an earlier term may be carried out in this one, too. */
  #landedBy: number;

  constructor(swarm: DockerSwarm, watcher: SwarmWatcher, gate: WriteGate, monotonicNow: () => number) {
    this.#swarm = swarm;
    this.#watcher = watcher;
    this.gate = gate;
    this.#monotonicNow = monotonicNow;
    this.#landedBy = monotonicNow() + TICKET_MS;
  }

  /** Gives the new object's id. Throws `swarm/exists` when the name is taken. */
  async createNetwork(spec: NetworkCreate, signal: AbortSignal): Promise<string> {
    return this.#create('network', spec.Name, signal, () => this.#swarm.createNetwork(spec, { signal }));
  }

  async createSecret(spec: SecretSpec, signal: AbortSignal): Promise<string> {
    return this.#create('secret', spec.Name, signal, () => this.#swarm.createSecret(spec, { signal }));
  }

  async createConfig(spec: ConfigSpec, signal: AbortSignal): Promise<string> {
    return this.#create('config', spec.Name, signal, () => this.#swarm.createConfig(spec, { signal }));
  }

  async createService(spec: ServiceSpec, registryAuth: string | undefined, signal: AbortSignal): Promise<string> {
    return this.#create('service', spec.Name, signal, () => this.#swarm.createService(spec, { signal, registryAuth }));
  }

  /** Throws `swarm/conflict` when the index has moved. */
  async updateService(
    id: string,
    version: number,
    spec: ServiceSpec,
    registryAuth: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#own({ kind: 'service', name: spec.Name, id, action: 'update' }, () => {
      this.gate.check(signal);
      return this.#swarm.updateService(id, version, spec, { signal, registryAuth });
    });
  }

  async relabel(
    kind: 'config' | 'secret',
    object: { readonly id: string; readonly name: string; readonly version: number },
    labels: Record<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { id, name, version } = object;
    await this.#own({ kind, name, id, action: 'update' }, async () => {
      this.gate.check(signal);
      const spec = { Name: name, Labels: labels };
      if (kind === 'config') await this.#swarm.updateConfigLabels(id, version, spec, { signal });
      else await this.#swarm.updateSecretLabels(id, version, spec, { signal });
      return { id };
    });
  }

  /** Undefined: gone. */
  async inspectService(id: string, signal: AbortSignal): Promise<LiveService | undefined> {
    try {
      return await this.#swarm.inspectService(id, { signal });
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/gone')) return undefined;
      throw error;
    }
  }

  /** By id; one that is gone already is success. Throws `swarm/in-use`. */
  async remove(kind: RemovableKind, object: { readonly id: string; readonly name: string }, signal: AbortSignal): Promise<void> {
    await this.#own({ kind, name: object.name, id: object.id, action: 'remove' }, async () => {
      this.gate.check(signal);
      await this.#removal(kind, object.id, signal);
      return { id: object.id };
    });
  }

  /** Runs a write of a record so that its echo wakes nobody. */
  async record<T extends { readonly id: string }>(
    name: string,
    action: 'create' | 'remove',
    id: string | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    return this.#own({ kind: 'config', name, action, ...(id !== undefined && { id }) }, send);
  }

  async #create(kind: RemovableKind, name: string, signal: AbortSignal, send: () => Promise<{ readonly id: string }>): Promise<string> {
    const checked = () => {
      this.gate.check(signal);
      return send();
    };
    return (await this.#own({ kind, name, action: 'create' }, checked)).id;
  }

  /** An agent did not answer a removal: it may still carry it out until `at`, monotonic milliseconds. */
  mayLandUntil(at: number): void {
    this.#landedBy = Math.max(this.#landedBy, at);
  }

  /** Whether every write that is under way has ended within `ms`; then waits until no agent can carry out an unanswered one. */
  async quiet(ms: number): Promise<boolean> {
    if (!(await within(Promise.allSettled(this.#underWay), ms))) return false;
    await sleep(Math.max(0, this.#landedBy - this.#monotonicNow()));
    return true;
  }

  /** Sends a write of our bookkeeping in its turn, and counts it among those under way. */
  async tracked<T>(send: () => Promise<T>): Promise<T> {
    const write = this.#slots.run(send);
    this.#underWay.add(write);
    try {
      return await write;
    } finally {
      this.#underWay.delete(write);
    }
  }

  #own<T extends { readonly id: string } | undefined>(write: OwnWrite, send: () => Promise<T>): Promise<T> {
    return this.tracked(() => this.#watcher.own(write, send));
  }

  #removal(kind: RemovableKind, id: string, signal: AbortSignal): Promise<void> {
    if (kind === 'service') return this.#swarm.removeService(id, { signal });
    if (kind === 'config') return this.#swarm.removeConfig(id, { signal });
    if (kind === 'secret') return this.#swarm.removeSecret(id, { signal });
    return this.#swarm.removeNetwork(id, { signal });
  }
}
