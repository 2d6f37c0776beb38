import { EngineHttp, type EngineRequest, engineError } from '@hivekeep/swarm/testing';
import type { Answer } from './simulated-swarm.ts';
import type { Host } from './virtual-time.ts';

/**
 * What becomes of a call: `pass`; `unanswered` (done, nobody hears of it); `refused` (not done, said at once); `lost` (not done, no
 * answer); a number: done so many milliseconds later, without an answer.
 */
export type Fate = 'pass' | 'unanswered' | 'refused' | 'lost' | number;

export interface SimulatedDaemon {
  /** Who calls. */
  readonly host: Host;
  latency(): number;
  fate(request: EngineRequest): Fate;
  /** Asked when the call is sent; what it gives is done when the call arrives. */
  arrival(request: EngineRequest): () => Answer;
}

const DEFAULT_TIMEOUT_MS = 5_000;

/** The door to the engine, led to a simulated daemon. What was sent arrives, whatever becomes of the sender. */
export class SimulatedHttp extends EngineHttp {
  readonly #daemon: SimulatedDaemon;

  constructor(daemon: SimulatedDaemon) {
    super({ endpoint: { kind: 'socket', path: '/nowhere' } });
    this.#daemon = daemon;
  }

  override call(request: EngineRequest): Promise<unknown> {
    const { action, signal, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const { host } = this.#daemon;
    return new Promise((resolve, reject) => {
      const cancelled = (): void => end(() => reject(engineError({ action, cancelled: true })));
      const stopTimer = host.after(timeoutMs, () => end(() => reject(engineError({ action, timedOut: true }))));
      let ended = false;
      const end = (settle: () => void): void => {
        if (ended) return;
        ended = true;
        stopTimer();
        signal?.removeEventListener('abort', cancelled);
        settle();
      };
      if (signal?.aborted) return cancelled();
      signal?.addEventListener('abort', cancelled, { once: true });
      this.#send(request, (answer) => {
        if (answer === 'reset') end(() => reject(engineError({ action, cause: new Error('reset') })));
        else if (answer[0] < 400) end(() => resolve(answer[1]));
        else end(() => reject(engineError({ action, status: answer[0], text: (answer[1] as { message: string }).message })));
      });
    });
  }

  #send(request: EngineRequest, answered: (answer: Answer | 'reset') => void): void {
    const { host, latency } = this.#daemon;
    const arrive = this.#daemon.arrival(request);
    const becomes = this.#daemon.fate(request);
    const reply = (given: Answer | 'reset'): void => void host.time.at(host, latency(), () => answered(given));
    const land = (): void => {
      const given = arrive();
      if (becomes === 'pass') reply(given);
      if (becomes === 'unanswered') reply('reset');
    };
    if (becomes === 'refused') reply('reset');
    else if (becomes === 'pass' && request.method === 'GET') reply(arrive());
    else if (becomes !== 'lost') host.time.at(host.time.world, typeof becomes === 'number' ? becomes : latency(), land);
  }
}
