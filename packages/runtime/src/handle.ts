import 'reflect-metadata';
import { HivekeepError, type RequestOf, type Rpc } from '@hivekeep/contracts';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { z } from 'zod';

/** What a handler knows of a call besides its request. */
export interface CallContext {
  /** Whose token the subject carried; permissions pin it, so it is who asks (or is asked), whatever the request says. */
  readonly swarm: string;
  /** The node asked, for calls of scope `node`. */
  readonly node?: string;
  readonly requestId: string;
  /** Aborts when the caller stops waiting or the service stops. */
  readonly signal: AbortSignal;
}

/** How a call ended. Handlers never throw through Nest, which would replace the error by its own text. */
export type Outcome = { readonly reply: unknown } | { readonly error: unknown };

/** The name a contract's handler is registered under. */
export function patternOf(contract: Rpc): string {
  return `${contract.service}.${contract.verb}`;
}

/**
 * Marks the method of a Nest controller that answers a contract. The compiler checks its request, context and reply;
 * request and reply are parsed, so the method sees defaults and the caller never sees more than the contract says.
 */
export function Handle<C extends Rpc>(contract: C) {
  return <M extends (request: RequestOf<C>, context: CallContext) => Promise<z.input<C['reply']>>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const method = descriptor.value;
    if (!method) throw new HivekeepError('internal', `@Handle(${patternOf(contract)}) expects a method, found ${key}`);
    const answer = async function (this: unknown, raw: unknown, context: CallContext): Promise<Outcome> {
      try {
        const request = parse(contract, 'request', raw) as RequestOf<C>; // the schema of this very contract
        return { reply: parse(contract, 'reply', await method.call(this, request, context)) };
      } catch (error) {
        return { error };
      }
    };
    descriptor.value = answer as unknown as M; // Nest calls it; nobody else sees the changed return type
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    MessagePattern(patternOf(contract), { contract })(target, key, descriptor);
  };
}

function parse(contract: Rpc, side: 'request' | 'reply', value: unknown): unknown {
  const parsed = contract[side].safeParse(value);
  if (parsed.success) return parsed.data;
  const text = `${side} of ${patternOf(contract)} does not fit its contract: ${z.prettifyError(parsed.error)}`;
  throw new HivekeepError('bus/invalid-message', text);
}
