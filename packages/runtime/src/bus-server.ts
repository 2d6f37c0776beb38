import { HivekeepError, type Rpc } from '@hivekeep/contracts';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { decodeBody, encodeBody, OUTCOME_HEADER, OUTCOME_OK, REQUEST_HEADER, TIMEOUT_HEADER } from './envelope.ts';
import { type CallContext, type Outcome, patternOf } from './handle.ts';
import { hasRoom } from './has-room.ts';
import type { Logger } from './logger.ts';
import { counter, durations, gauge } from './metrics.ts';
import type { ServingSwitch } from './serving-switch.ts';
import { subscriptionSubject } from './subscription-subject.ts';
import { within } from './waiting.ts';
import type { Wire, WireRequest, WireSubscription } from './wire.ts';

const answered = counter('calls_answered', 'Calls answered, by call and outcome: ok or the code of the error.', ['call', 'outcome']);
const taken = durations('call_answered', 'Time from a call to its answer.', ['call']);
const running = gauge('calls_running', 'Calls being answered now, abandoned ones among them.', ['call']);

export interface BusServerOptions {
  readonly wire: Wire;
  readonly contracts: readonly Rpc[];
  /** The swarm and node this service answers for, where its contracts have such a scope. */
  readonly swarm?: string | undefined;
  readonly node?: string | undefined;
  readonly serving: ServingSwitch;
  readonly logger: Logger;
}

/** Calls of one handler that may run at a time, for one swarm and in all; more are refused with `bus/busy`. */
const RUNNING_AT_ONCE = { perOwner: 64, total: 256 };

/**
 * Nest's server over a wire. It replaces Nest's own transports because those lose error codes, let the caller time out
 * when a reply is too large, know no deadline, and can't stop answering while the process lives.
 */
export class BusServer extends Server implements CustomTransportStrategy {
  /** The pattern of every handler that was registered, repetitions included. */
  readonly found: string[] = [];
  readonly #options: Required<BusServerOptions>;
  /** By pattern: the calls in hand, each with the swarm of its subject. */
  readonly #running = new Map<string, Map<Promise<void>, string>>();
  readonly #stopping = new AbortController();
  #subscriptions: WireSubscription[] = [];

  constructor(options: BusServerOptions) {
    super();
    this.#options = { swarm: undefined, node: undefined, ...options };
  }

  override addHandler(pattern: string, callback: MessageHandler, isEventHandler?: boolean, extras?: Record<string, unknown>): void {
    this.found.push(pattern);
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  listen(callback: (error?: unknown) => void): void {
    this.#options.serving.attach((serving) => (serving ? this.#subscribe() : this.#unsubscribe())).then(() => callback(), callback);
  }

  /** Takes no new call, lets running ones end within `graceMs`, then aborts them. */
  async stop(graceMs: number): Promise<void> {
    await this.#unsubscribe();
    const late = () => new HivekeepError('cancelled', 'the service stops');
    const idle = Promise.all([...this.#running.values()].flatMap((running) => [...running.keys()]));
    await within(idle, { ms: graceMs, late }).catch(() => undefined);
    this.#stopping.abort(late());
  }

  close(): Promise<void> {
    return this.stop(0);
  }

  on(): void {
    throw new HivekeepError('internal', 'a bus server has no events of its own');
  }

  unwrap<T>(): T {
    return this.#options.wire as T; // Nest asks for whatever the caller says it is
  }

  async #subscribe(): Promise<void> {
    const { wire, contracts } = this.#options;
    if (this.#subscriptions.length > 0) return;
    this.#subscriptions = await Promise.all(
      contracts.map((contract) =>
        wire.subscribe(subscriptionSubject(contract, this.#options), contract.service, (request) => this.#take(contract, request)),
      ),
    );
  }

  async #unsubscribe(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((subscription) => subscription.close()));
  }

  #take(contract: Rpc, request: WireRequest): void {
    const pattern = patternOf(contract);
    const inHand = this.#running.get(pattern) ?? new Map<Promise<void>, string>();
    this.#running.set(pattern, inHand);
    const { swarm } = addressOf(request);
    const own = [...inHand.values()].filter((other) => other === swarm).length;
    if (!hasRoom(RUNNING_AT_ONCE, { own, all: inHand.size })) {
      const { perOwner, total } = RUNNING_AT_ONCE;
      const expected = `expected fewer than ${perOwner} calls of ${swarm} and ${total} in all at a time`;
      const busy = new HivekeepError('bus/busy', `${pattern}: ${expected}; try again later`);
      this.#respond(contract, request, { error: busy });
      return;
    }
    const ended = taken.startTimer({ call: pattern });
    const work = this.#answer(contract, request).finally(() => {
      inHand.delete(work);
      running.set({ call: pattern }, inHand.size);
      ended();
    });
    inHand.set(work, swarm);
    running.set({ call: pattern }, inHand.size);
  }

  /** Answers one call. A handler that outlives its deadline is abandoned: the caller has its error, the slot stays taken. */
  async #answer(contract: Rpc, request: WireRequest): Promise<void> {
    const ms = Number(request.headers[TIMEOUT_HEADER]) || contract.deadlineMs;
    const expired = new AbortController();
    const late = () => new HivekeepError('bus/timeout', `${patternOf(contract)}: no answer within ${ms} ms`);
    const handling = this.#handle(contract, request, AbortSignal.any([expired.signal, this.#stopping.signal]));
    const outcome = await within(handling, { ms, signal: this.#stopping.signal, late }).catch((error: unknown): Outcome => ({ error }));
    if (HivekeepError.is('error' in outcome && outcome.error, 'bus/timeout')) expired.abort(late());
    this.#respond(contract, request, outcome);
    await handling;
  }

  async #handle(contract: Rpc, request: WireRequest, signal: AbortSignal): Promise<Outcome> {
    try {
      const { swarm, node } = addressOf(request);
      const context: CallContext = {
        swarm,
        ...(contract.scope === 'node' && node !== undefined && { node }),
        requestId: request.headers[REQUEST_HEADER] ?? '',
        signal,
      };
      const handler = this.getHandlerByPattern(patternOf(contract));
      if (!handler) throw new HivekeepError('internal', `${patternOf(contract)} has no handler`);
      const result = await handler(decodeBody(request.body), context);
      return (await lastValueFrom(this.transformToObservable(result))) as Outcome; // what @Handle returns
    } catch (error) {
      return { error };
    }
  }

  #respond(contract: Rpc, request: WireRequest, outcome: Outcome): void {
    const { wire, logger } = this.#options;
    const told = { call: patternOf(contract), request: request.headers[REQUEST_HEADER] };
    const level = isForRequests(contract) ? 'info' : 'debug';
    try {
      if ('error' in outcome) throw outcome.error;
      request.respond({ [OUTCOME_HEADER]: OUTCOME_OK }, encodeBody(outcome.reply, wire.maxBytes, `reply of ${patternOf(contract)}`));
      answered.inc({ call: patternOf(contract), outcome: OUTCOME_OK });
      logger[level]('call answered', told);
    } catch (thrown) {
      const error = HivekeepError.from(thrown);
      answered.inc({ call: patternOf(contract), outcome: error.code });
      const fields = { ...told, error: error.cause ?? error };
      if (isExpected(contract, error)) logger[level]('call refused', fields);
      else logger.error('call failed', fields);
      request.respond({ [OUTCOME_HEADER]: error.code }, encodeBody(shortened(error), wire.maxBytes, 'error'));
    }
  }
}

/** Whom a subject names. The node is one only where the contract has that scope: it is the verb elsewhere. */
function addressOf({ subject }: WireRequest): { readonly swarm: string; readonly node: string | undefined } {
  const [, , swarm = '', , node] = subject.split('.');
  return { swarm, node };
}

/** Whether it is made for HTTP requests alone: as often as the gateway tells of those. Services call each other far oftener. */
function isForRequests({ callers }: Rpc): boolean {
  return callers?.every((caller) => caller === 'gateway') ?? false;
}

function isExpected(contract: Rpc, error: HivekeepError): boolean {
  return contract.errors.includes(error.code) || HivekeepError.is(error, 'cancelled', 'bus/busy', 'bus/timeout');
}

/** An error that fits any message. */
function shortened(error: HivekeepError) {
  const { message, issues, ...rest } = error.toWire();
  return { ...rest, message: message.slice(0, 16_000), ...(issues && { issues: issues.slice(0, 500) }) };
}
