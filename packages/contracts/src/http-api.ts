import { z } from 'zod';
import { open } from './open.ts';
import * as reconciler from './reconciler.ts';
import { AppSetStatus, DiffResponse, History, View } from './status.ts';
import { PruneList, SwarmView } from './swarm-status.ts';

/** What a subject may be allowed to do; an authorizer refuses any other word. */
export const actions = ['read', 'diff', 'history', 'sync', 'controller'] as const;
export type Action = (typeof actions)[number];

/** One endpoint of the HTTP API, declared once for the gateway, its OpenAPI document and the CLI. */
export interface Endpoint<Body extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Parameters as `:name`. */
  readonly path: string;
  readonly action: Action;
  readonly summary: string;
  /** Names of the query parameters it reads. */
  readonly query: readonly string[];
  readonly body: Body;
  readonly reply: Reply;
  readonly status: 200 | 202;
}

/** `ok` and the states a reconciler says of itself; `silent`: not heard in time; `unserved`: named by an application, served by nobody. */
export const SwarmState = open('unknown', 'ok', 'unreachable', 'standby', 'refused', 'silent', 'unserved');

export const SwarmEntry = z
  .object({
    name: z.string(),
    home: z.boolean(),
    state: SwarmState,
    message: z.string().optional(),
    lastHeardAt: z.string().optional(),
    /** What its reconciler said last, which may be old: see `state`. */
    view: SwarmView.optional(),
  })
  .meta({ id: 'SwarmEntry' });
export type SwarmEntry = z.infer<typeof SwarmEntry>;

export const ControllerStatus = z
  .object({
    appSet: AppSetStatus.partial({ source: true, revision: true, orphaned: true, pruned: true, pruneHeldBy: true }),
    applications: z.number(),
    swarms: z.array(z.object({ name: z.string(), home: z.boolean(), state: SwarmState, lastHeardAt: z.string().optional() })),
  })
  .meta({ id: 'ControllerStatus' });
export type ControllerStatus = z.infer<typeof ControllerStatus>;

export const Capabilities = z
  .object({
    version: z.string().optional(),
    edition: z.string(),
    features: z.record(z.string(), z.boolean()),
    licence: z.object({ status: z.string() }).optional(),
    seams: z.record(z.string(), z.string()).optional(),
    /** Optional capabilities of each swarm's backend, and what a missing one costs. */
    swarms: z.record(z.string(), z.array(z.object({ name: z.string(), present: z.boolean(), costs: z.string().optional() }))).optional(),
  })
  .meta({ id: 'Capabilities' });
export type Capabilities = z.infer<typeof Capabilities>;

/** An error answer: the members of RFC 9457 plus `error` (the same text as `detail`, read by the family's client) and `code`. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string().optional(),
    error: z.string(),
    code: z.string(),
    issues: z.array(z.unknown()).optional(),
    requestId: z.string().optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

const none = z.object({});
const swarm = z.string().max(63).optional();
const reason = z.string().max(500).optional();

function endpoint<Reply extends z.ZodType, Body extends z.ZodType = typeof none>(
  declared: Pick<Endpoint, 'id' | 'path' | 'action' | 'summary'> & { reply: Reply; body?: Body } & Partial<
      Pick<Endpoint, 'method' | 'query' | 'status'>
    >,
): Endpoint<Body, Reply> {
  return Object.freeze({
    method: 'GET' as const,
    query: [],
    status: 200 as const,
    ...declared,
    path: `/api/v1${declared.path}`,
    body: (declared.body ?? none) as Body,
  });
}

const onApplication = <Reply extends z.ZodType, Body extends z.ZodType>(
  verb: string,
  summary: string,
  reply: Reply,
  body: Body,
  status: 200 | 202 = 200,
) =>
  endpoint({
    id: verb,
    method: 'POST',
    path: `/applications/:app/${verb}`,
    action: 'sync',
    summary,
    query: ['swarm'],
    reply,
    body,
    status,
  });

/** Every endpoint under `/api/v1`. */
export const httpApi = {
  status: endpoint({ id: 'status', path: '/status', action: 'read', summary: 'The app set and the swarms', reply: ControllerStatus }),
  capabilities: endpoint({
    id: 'capabilities',
    path: '/capabilities',
    action: 'read',
    summary: 'What this installation can do',
    reply: Capabilities,
  }),
  swarms: endpoint({
    id: 'swarms',
    path: '/swarms',
    action: 'read',
    summary: 'Every swarm that is served or named, with when it was last heard',
    reply: z.object({ swarms: z.array(SwarmEntry) }),
  }),
  applications: endpoint({
    id: 'applications',
    path: '/applications',
    action: 'read',
    summary: 'All applications, without their releases',
    query: ['swarm'],
    reply: z.object({ applications: z.array(View) }),
  }),
  application: endpoint({
    id: 'application',
    path: '/applications/:app',
    action: 'read',
    summary: 'One application',
    query: ['swarm'],
    reply: View,
  }),
  diff: endpoint({
    id: 'diff',
    path: '/applications/:app/diff',
    action: 'diff',
    summary: 'What the last plan would change',
    query: ['swarm'],
    reply: DiffResponse,
  }),
  history: endpoint({
    id: 'history',
    path: '/applications/:app/history',
    action: 'history',
    summary: 'Recorded revisions, newest first',
    query: ['swarm'],
    reply: History,
  }),
  sync: onApplication('sync', 'Sync now; answers when the request is reserved, never waits for its end', reconciler.sync.reply, none, 202),
  refresh: onApplication(
    'refresh',
    'Look at the repository and the swarm now, and do what the policy allows',
    reconciler.refresh.reply,
    none,
    202,
  ),
  rollback: onApplication(
    'rollback',
    'Go back to a recorded revision and hold the application there',
    reconciler.rollback.reply,
    z.object({ release: reconciler.rollback.request.shape.release, to: reconciler.rollback.request.shape.to }),
    202,
  ),
  pause: onApplication('pause', 'Hold the application until it is resumed', reconciler.refresh.reply, z.object({ reason })),
  resume: onApplication('resume', 'Let go of a held application', reconciler.refresh.reply, none),
  prune: endpoint({
    id: 'prune',
    path: '/prune',
    action: 'controller',
    summary: 'Sweeps and what waits for approval',
    query: ['swarm'],
    reply: PruneList,
  }),
  pruneApprove: endpoint({
    id: 'pruneApprove',
    method: 'POST',
    path: '/prune/:id/approve',
    action: 'controller',
    summary: 'Allow a held batch of deletions, or some of its releases',
    query: ['swarm'],
    body: z.object({ releases: z.array(z.string()).max(5000).optional(), swarm }),
    reply: reconciler.pruneApprove.reply,
  }),
  forgetNode: endpoint({
    id: 'forgetNode',
    method: 'POST',
    path: '/prune/forget-node',
    action: 'controller',
    summary: 'Give up the volumes of a node that will not come back',
    query: ['swarm'],
    body: z.object({ node: z.string().min(1).max(128), swarm }),
    reply: reconciler.pruneForgetNode.reply,
  }),
  freeze: endpoint({
    id: 'freeze',
    method: 'POST',
    path: '/freeze',
    action: 'controller',
    summary: 'Stop all writes to a swarm',
    query: ['swarm'],
    body: z.object({ reason, swarm }),
    reply: reconciler.freeze.reply,
  }),
  unfreeze: endpoint({
    id: 'unfreeze',
    method: 'POST',
    path: '/unfreeze',
    action: 'controller',
    summary: 'Allow writes again',
    query: ['swarm'],
    body: z.object({ swarm }),
    reply: reconciler.freeze.reply,
  }),
  events: endpoint({
    id: 'events',
    path: '/events',
    action: 'read',
    summary: 'Server-sent events; resumes after Last-Event-ID, says `reset` where it cannot',
    query: ['application', 'swarm'],
    reply: z.string(),
  }),
  openapi: endpoint({
    id: 'openapi',
    path: '/openapi.json',
    action: 'read',
    summary: 'This document',
    reply: z.record(z.string(), z.unknown()),
  }),
} as const;
