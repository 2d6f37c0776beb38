import { z } from 'zod';
import { ApplicationName } from './names.ts';
import { rpc } from './rpc.ts';
import { DiffResponse, History } from './status.ts';
import { PruneList, SwarmView } from './swarm-status.ts';

const service = 'reconciler' as const;
const scope = 'swarm' as const;
const callers = ['gateway'] as const;
const application = ApplicationName;
const actor = z.string().default('');
const unknown = ['application/unknown', 'swarm/unreachable', 'lease/held'] as const;
const done = z.object({ application: ApplicationName });

/** Accepted once the active reconciler has reserved the slot and noted the request on the swarm, so that a kill loses none. */
export const sync = rpc({
  service,
  scope,
  callers,
  verb: 'sync',
  request: z.object({ application, actor }),
  reply: z.object({
    application: ApplicationName,
    accepted: z.boolean().optional(),
    coalesced: z.boolean().optional(),
  }),
  errors: [...unknown, 'application/draining', 'swarm/frozen'],
  deadlineMs: 10_000,
});
/**
 * Deploys a recorded revision again, as a new one, and holds the application there. Accepted as a sync is; what can be known before is
 * refused at once.
 */
export const rollback = rpc({
  service,
  scope,
  callers,
  verb: 'rollback',
  request: z.object({
    application,
    actor,
    /** May be left out where the application has one. */
    release: z.string().max(128).optional(),
    /** The revision to go back to; absent: the one before what is deployed. */
    to: z.number().int().min(1).optional(),
  }),
  reply: z.object({
    application: ApplicationName,
    release: z.string(),
    /** The revision it goes back to. */
    revision: z.number(),
    accepted: z.boolean().optional(),
    /** The same rollback is under way already. */
    coalesced: z.boolean().optional(),
  }),
  errors: [
    ...unknown,
    'application/draining',
    'policy/refused',
    'release/unknown',
    'revision/unfit',
    'revision/unknown',
    'rollback/pending',
    'swarm/frozen',
    'usage/invalid',
  ],
  deadlineMs: 15_000,
});
/** Looks at the repository and the swarm now and does what the policy allows, nothing more. */
export const refresh = rpc({
  service,
  scope,
  callers,
  verb: 'refresh',
  request: z.object({ application, actor }),
  reply: done,
  errors: [...unknown],
  deadlineMs: 10_000,
});
export const pause = rpc({
  service,
  scope,
  callers,
  verb: 'pause',
  request: z.object({ application, actor, reason: z.string().max(500).default('') }),
  reply: done,
  errors: [...unknown, 'swarm/conflict'],
  deadlineMs: 10_000,
});
export const resume = rpc({
  service,
  scope,
  callers,
  verb: 'resume',
  request: z.object({ application, actor }),
  reply: done,
  errors: [...unknown, 'swarm/conflict'],
  deadlineMs: 10_000,
});
export const diff = rpc({
  service,
  scope,
  callers,
  verb: 'diff',
  request: z.object({ application }),
  reply: DiffResponse,
  errors: [...unknown],
  deadlineMs: 15_000,
});
export const history = rpc({
  service,
  scope,
  callers,
  verb: 'history',
  request: z.object({ application }),
  reply: History,
  errors: [...unknown, 'swarm/timeout'],
  deadlineMs: 15_000,
});
export const swarmStatus = rpc({
  service,
  scope,
  callers,
  verb: 'status',
  request: z.object({}),
  reply: SwarmView,
  errors: [],
  deadlineMs: 5_000,
});

export const pruneList = rpc({
  service,
  scope,
  callers,
  verb: 'prune-list',
  request: z.object({}),
  reply: PruneList,
  errors: ['lease/held'],
  deadlineMs: 15_000,
});
export const pruneApprove = rpc({
  service,
  scope,
  callers,
  verb: 'prune-approve',
  request: z.object({ id: z.string(), releases: z.array(z.string()).optional(), actor }),
  reply: z.object({ id: z.string(), releases: z.array(z.string()) }),
  errors: ['prune/unknown', 'lease/held', 'swarm/conflict'],
  deadlineMs: 15_000,
});
export const pruneForgetNode = rpc({
  service,
  scope,
  callers,
  verb: 'prune-forget-node',
  request: z.object({ node: z.string(), actor }),
  reply: z.object({ node: z.string() }),
  errors: ['node/unknown', 'lease/held', 'swarm/conflict'],
  deadlineMs: 15_000,
});
/** Answers when the holder has acknowledged: from then on nothing is written. */
export const freeze = rpc({
  service,
  scope,
  callers,
  verb: 'freeze',
  request: z.object({ actor, reason: z.string().max(500).default('') }),
  reply: z.object({ frozen: z.boolean() }),
  errors: ['lease/held', 'swarm/conflict'],
  deadlineMs: 30_000,
});
export const unfreeze = rpc({
  service,
  scope,
  callers,
  verb: 'unfreeze',
  request: z.object({ actor }),
  reply: z.object({ frozen: z.boolean() }),
  errors: ['lease/held', 'swarm/conflict'],
  deadlineMs: 30_000,
});
