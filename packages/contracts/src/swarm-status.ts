import { z } from 'zod';
import { Timestamp } from './names.ts';
import { open } from './open.ts';
import { AppSetStatus } from './status.ts';

/** A departed release and how far its sweep has come. */
export const SweepItem = z.object({
  application: z.string(),
  release: z.string(),
  /** `departed` waits for its second load; `held` for an approval or a named reason; then the phases; `volumes-wait` until `volumesAt`. */
  state: open('unknown', 'departed', 'held', 'stack', 'volumes-wait', 'volumes', 'records', 'moved', 'failed', 'done'),
  since: Timestamp,
  commit: z.string(),
  newestRecord: z.string(),
  moved: z.boolean(),
  reason: z.string().optional(),
  volumesAt: Timestamp.optional(),
  /** Volumes removed so far, as `node/volume`. */
  removedVolumes: z.array(z.string()),
  /** Nodes the volume phase could not cover, each with why. */
  uncovered: z.array(z.object({ node: z.string(), hostname: z.string().optional(), reason: z.string() })),
});
export type SweepItem = z.infer<typeof SweepItem>;

/** A batch of deletions that waits for `hivekeep prune approve ID`. */
export const Approval = z.object({
  id: z.string(),
  reason: z.string(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  items: z.array(z.object({ application: z.string(), release: z.string(), newestRecord: z.string() })),
});
export type Approval = z.infer<typeof Approval>;

export const PruneList = z.object({
  enabled: z.boolean(),
  volumes: z.boolean(),
  items: z.array(SweepItem),
  approvals: z.array(Approval),
  /** Volumes with a stack label that no record names; only a person removes those. */
  strays: z.array(z.object({ node: z.string(), volume: z.string(), stack: z.string() })),
});
export type PruneList = z.infer<typeof PruneList>;

export const NodeCoverage = z.object({
  id: z.string(),
  hostname: z.string(),
  covered: z.boolean(),
  /** Why not: `down`, `drained`, `no agent`, `left`, `old version`. */
  reason: z.string().optional(),
});
export type NodeCoverage = z.infer<typeof NodeCoverage>;

/** What a reconciler says of its swarm; one view each. */
export const SwarmView = z.object({
  swarm: z.string(),
  home: z.boolean(),
  controllerId: z.string(),
  version: z.string(),
  /** Is this reconciler the holder of the swarm lease, and of which epoch. */
  active: z.boolean(),
  holder: z.string().optional(),
  epoch: z.number(),
  state: open('unknown', 'ok', 'unreachable', 'standby', 'refused'),
  message: z.string().optional(),
  frozen: z.object({ by: z.string(), at: Timestamp }).optional(),
  appSet: AppSetStatus,
  applications: z.number(),
  nodes: z.array(NodeCoverage),
  /** Whether volumes can be removed on every node there is, as far as that is known; absent while the swarm was not read. */
  coverage: open('unknown', 'complete', 'partial').optional(),
  capabilities: z.array(z.object({ name: z.string(), present: z.boolean(), costs: z.string().optional() })),
  prune: PruneList,
  recordBytes: z.number(),
  warnings: z.array(z.string()),
  observedAt: Timestamp,
});
export type SwarmView = z.infer<typeof SwarmView>;
