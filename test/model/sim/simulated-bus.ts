import {
  HivekeepError,
  nodeAgentCalls,
  type Presence,
  type ReplyOf,
  type RequestInput,
  type RequestOf,
  type Rpc,
  sourceCalls,
  type Target,
} from '@hivekeep/contracts';
import type { Announced, Bus, CallOptions } from '@hivekeep/runtime';
import type { Random } from './random.ts';
import { artifactBytes, HOME } from './repository.ts';
import { isOff } from './rules.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SimulatedSource } from './simulated-source.ts';
import type { Host } from './virtual-time.ts';

export interface BusWorld {
  readonly random: Random;
  readonly sources: readonly SimulatedSource[];
  readonly nodes: readonly SimulatedNode[];
  /** A source's answer to the question for the app set is on its way. */
  onAppSet(answer: ReplyOf<typeof sourceCalls.appSet>, to: Host): void;
}

type Handler = { readonly host: Host; readonly run: (signal: AbortSignal) => Promise<unknown> };

/** One reconciler's connection to the bus. Its answers take a while, and none comes where a side is cut off. */
export class SimulatedBus implements Bus {
  cut = false;
  readonly #host: Host;
  readonly #world: BusWorld;

  constructor(host: Host, world: BusWorld) {
    this.#host = host;
    this.#world = world;
  }

  readonly events = { publish: async () => 'log-1', logId: async () => 'log', subscribe: async () => ({ close: async () => undefined }) };
  readonly views = {
    put: async () => undefined,
    remove: async () => undefined,
    watch: async () => ({ close: async () => undefined }),
    get: async () => undefined,
    keys: async () => [],
    storeId: async () => 'views',
  };
  readonly artifacts = { put: async () => undefined, get: async (digest: string) => artifactBytes.get(digest) };
  readonly presence = {
    announce: async (): Promise<Announced> => Object.assign(async () => undefined, { renew: async () => undefined }),
    list: async (): Promise<Presence[]> => {
      if (this.cut) throw new HivekeepError('bus/unavailable', 'the bus is cut off');
      return this.#reachable().map(({ id, hostname }) => ({
        service: 'node-agent',
        instance: id,
        version: '1.0.0',
        swarm: HOME,
        node: { id, hostname },
        at: '2026-01-02T03:04:05Z',
      }));
    },
  };

  async close(): Promise<void> {}

  call<C extends Rpc>(contract: C, target: Target, request: RequestInput<C>, { signal }: CallOptions = {}): Promise<ReplyOf<C>> {
    const host = this.#host;
    const { time } = host;
    const latency = () => this.#world.random.between(5, 60);
    return new Promise((resolve, reject) => {
      const cancelled = (): void => end(() => reject(signal?.reason instanceof HivekeepError ? signal.reason : gaveUp()));
      const late = (): void => end(() => reject(new HivekeepError('bus/timeout', `${contract.verb}: no answer in time`)));
      const stopTimer = host.after(contract.deadlineMs, late);
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
      const reply = (settle: () => void): void => {
        if (!this.cut) time.at(host, latency(), () => end(settle));
      };
      const handler = this.cut ? undefined : this.#handler(contract, target, request);
      if (!handler) {
        time.at(host, latency(), () => end(() => reject(new HivekeepError('bus/no-answer', `nobody answers ${contract.verb}`))));
        return;
      }
      time.at(handler.host, latency(), () => {
        handler.run(AbortSignal.timeout(contract.deadlineMs)).then(
          (value) => reply(() => resolve(value as ReplyOf<C>)),
          (error: unknown) => reply(() => reject(HivekeepError.from(HivekeepError.from(error).toWire()))),
        );
      });
    });
  }

  #handler(contract: Rpc, target: Target, request: unknown): Handler | undefined {
    if (contract.service === 'source') return this.#ofSource(contract, request);
    const node = this.#reachable().find(({ id }) => id === target.node);
    if (!node?.agent) return undefined;
    const { host, door } = node.agent;
    if (contract.verb === nodeAgentCalls.stackVolumes.verb) {
      const asked = request as RequestInput<typeof nodeAgentCalls.stackVolumes>;
      const run = async (signal: AbortSignal) => {
        const { nodeId, ...answer } = await door.stackVolumes({ ...asked, signal });
        return { node: nodeId, ...answer };
      };
      return { host, run };
    }
    const asked = request as RequestInput<typeof nodeAgentCalls.removeVolume>;
    return { host, run: (signal) => door.removeVolume({ ...asked, signal }).catch(withoutAnswer) };
  }

  #ofSource(contract: Rpc, request: unknown): Handler | undefined {
    const source = this.#world.random.pick(this.#world.sources.filter(({ present }) => present));
    if (!source) return undefined;
    const { host } = source;
    if (contract.verb === sourceCalls.build.verb) {
      const { applications } = request as RequestOf<typeof sourceCalls.build>;
      return { host, run: async () => ({ results: source.build(applications) }) };
    }
    if (contract.verb === sourceCalls.secretContents.verb) return { host, run: async () => ({ sealed: {} }) };
    const { home, have, evidence = false } = request as RequestInput<typeof sourceCalls.appSet>;
    const run = async () => {
      const answer = await source.appSet.answer(HOME, {
        home,
        evidence,
        // An evidence load is of the newest commit in any case, and says whether that descends from the caller's.
        have: isOff('the caller sends the commit it has') && !evidence ? undefined : have,
      });
      this.#world.onAppSet(answer, this.#host);
      return answer;
    };
    return { host, run };
  }

  #reachable(): SimulatedNode[] {
    return this.#world.nodes.filter(({ agent, state }) => agent && state === 'ready');
  }
}

/** Silence is taken for a refusal where nobody waits for what may land after it. */
function withoutAnswer(error: unknown): never {
  const silent = HivekeepError.is(error, 'swarm/timeout');
  if (!silent || !isOff('nothing is applied while an unanswered removal may land')) throw error;
  throw new HivekeepError('swarm/in-use', error.message);
}

function gaveUp(): HivekeepError {
  return new HivekeepError('cancelled', 'the caller gave up');
}
