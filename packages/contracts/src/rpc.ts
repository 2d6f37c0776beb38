import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

export type ServiceName = 'source' | 'reconciler' | 'node-agent' | 'gateway';

/**
 * A call that one service answers. Subjects are `hk.v1.<swarm>.<service>[.<node id>].<verb>`: permissions are pinned to
 * the swarm token, and a handler trusts that token, never a field of the request, for who asks.
 */
export interface Rpc<Req extends z.ZodType = z.ZodType, Rep extends z.ZodType = z.ZodType> {
  readonly kind: 'call';
  readonly service: ServiceName;
  readonly verb: string;
  /** `hub`: one service answers all swarms; `swarm`: that swarm's active reconciler; `node`: that node's agent. */
  readonly scope: 'hub' | 'swarm' | 'node';
  readonly request: Req;
  readonly reply: Rep;
  /** Codes a caller may see besides `internal` and `bus/*`. */
  readonly errors: readonly ErrorCode[];
  /** The services that may call it; the permissions of the bus are made from this. Absent: none may, once there are permissions. */
  readonly callers?: readonly ServiceName[];
  /** How long a caller waits unless it says otherwise, in milliseconds. */
  readonly deadlineMs: number;
}

/** Declares a call once for both sides. */
export function rpc<Req extends z.ZodType, Rep extends z.ZodType>(contract: Omit<Rpc<Req, Rep>, 'kind'>): Rpc<Req, Rep> {
  return Object.freeze({ ...contract, kind: 'call' as const });
}

export type RequestInput<C extends Rpc> = z.input<C['request']>;
export type RequestOf<C extends Rpc> = z.output<C['request']>;
export type ReplyOf<C extends Rpc> = z.output<C['reply']>;

/** Where a call goes. */
export interface Target {
  readonly swarm: string;
  readonly node?: string;
}

/** The subject a caller publishes on. */
export function subjectOf(contract: Rpc, target: Target): string {
  const node = contract.scope === 'node' ? `.${target.node ?? ''}` : '';
  return `hk.v1.${target.swarm}.${contract.service}${node}.${contract.verb}`;
}
