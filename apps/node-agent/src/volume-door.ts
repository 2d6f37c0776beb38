import { HivekeepError } from '@hivekeep/contracts';
import { within } from '@hivekeep/runtime';
import type { NodeBackend, RemoveVolumeRequest, StackVolumes } from '@hivekeep/swarm';

const MAX_WAIT_MS = 60_000;

/**
 * The way to one node's volumes: one request at a time, in the order they came, none begun for a caller that has given up.
 * So a successor's list is answered only after its predecessor's last removal has ended, and shows what that left.
 * The backend behind it checks tickets and epochs before each call to the daemon, when the turn has come.
 */
export class VolumeDoor implements NodeBackend {
  readonly #backend: NodeBackend;
  #last: Promise<unknown> = Promise.resolve();

  constructor(backend: NodeBackend) {
    this.#backend = backend;
  }

  stackVolumes(request: Parameters<NodeBackend['stackVolumes']>[0]): Promise<StackVolumes> {
    return this.#inTurn(request.signal, () => this.#backend.stackVolumes(request));
  }

  removeVolume(request: RemoveVolumeRequest): Promise<{ readonly removed: boolean }> {
    return this.#inTurn(request.signal, () => this.#backend.removeVolume(request));
  }

  #inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (signal?.aborted) throw new HivekeepError('cancelled', 'the caller gave up before its turn came');
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return within(turn, { ms: MAX_WAIT_MS, signal, late: () => new HivekeepError('swarm/timeout', `no turn in ${MAX_WAIT_MS} ms`) });
  }
}
