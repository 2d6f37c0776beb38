import { z } from 'zod';
import { rpc } from './rpc.ts';

/** Volumes of a stack on one node, with a ticket that `removeVolume` must bring back. Epochs lower than one seen are refused. */
export const stackVolumes = rpc({
  service: 'node-agent',
  verb: 'stack-volumes',
  scope: 'node',
  callers: ['reconciler'],
  request: z.object({ stack: z.string().min(1), epoch: z.number().int() }),
  reply: z.object({
    node: z.string(),
    ticket: z.string(),
    /** How long the ticket lasts, in milliseconds of the agent's own clock from its answer. */
    validMs: z.number().int(),
    volumes: z.array(z.object({ name: z.string(), labels: z.record(z.string(), z.string()) })),
  }),
  errors: ['node/unreachable', 'node/stale-epoch', 'swarm/timeout', 'swarm/unreachable'],
  deadlineMs: 10_000,
});

/** Removes one volume of this node. One that is gone already is success with `removed: false`. */
export const removeVolume = rpc({
  service: 'node-agent',
  verb: 'remove-volume',
  scope: 'node',
  callers: ['reconciler'],
  request: z.object({
    ticket: z.string(),
    stack: z.string().min(1),
    volume: z.string().min(2),
    epoch: z.number().int(),
  }),
  reply: z.object({ removed: z.boolean() }),
  errors: ['node/ticket', 'node/stale-epoch', 'node/unreachable', 'swarm/in-use', 'swarm/timeout', 'swarm/unreachable'],
  deadlineMs: 10_000,
});
