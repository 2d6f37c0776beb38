import { HivekeepError } from '@hivekeep/contracts';
import { NodeBackend, type NodeVolume } from '../ports.ts';

const STACK_LABEL = 'com.docker.stack.namespace';

/** A node's volumes in memory, for tests of what is built on a NodeBackend. */
export class MemoryNode extends NodeBackend {
  readonly volumes = new Map<string, { stack: string | undefined; used: boolean }>();
  /** Each call to the daemon waits for this. */
  gate: Promise<void> = Promise.resolve();
  /** Calls that reached the daemon, in order. */
  readonly calls: string[] = [];

  add(name: string, stack?: string): void {
    this.volumes.set(name, { stack, used: false });
  }

  async stackVolumes(stack: string, signal: AbortSignal): Promise<readonly NodeVolume[]> {
    await this.#call(`list ${stack}`, signal);
    return [...this.volumes].filter(([, volume]) => volume.stack === stack).map(([name]) => ({ name, labels: { [STACK_LABEL]: stack } }));
  }

  async removeVolume(name: string, signal: AbortSignal): Promise<boolean> {
    await this.#call(`remove ${name}`, signal);
    if (this.volumes.get(name)?.used) throw new HivekeepError('swarm/in-use', `volume ${name} is in use`);
    return this.volumes.delete(name);
  }

  async #call(what: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.calls.push(what);
    await this.gate;
  }
}
