import type { z } from 'zod';
import { Artifact } from '../artifact.ts';
import { WireError } from '../errors.ts';
import { Event } from '../events.ts';
import * as nodeAgentCalls from '../node-agent.ts';
import { Presence } from '../presence.ts';
import * as reconcilerCalls from '../reconciler.ts';
import type { Rpc } from '../rpc.ts';
import * as sourceCalls from '../source.ts';
import { View } from '../status.ts';
import { SwarmView } from '../swarm-status.ts';

/** Every message that passes between processes, by name: `source.build request`, `event`, `view of a swarm`. */
export function messageSchemas(): Record<string, z.ZodType> {
  const calls = [sourceCalls, nodeAgentCalls, reconcilerCalls].flatMap((module) => Object.values(module).filter(isCall));
  return {
    ...Object.fromEntries(
      calls.flatMap(({ service, verb, request, reply }) => [
        [`${service}.${verb} request`, request],
        [`${service}.${verb} reply`, reply],
      ]),
    ),
    event: Event,
    presence: Presence,
    artifact: Artifact,
    error: WireError,
    'view of an application': View,
    'view of a swarm': SwarmView,
  };
}

function isCall(value: unknown): value is Rpc {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'call';
}
