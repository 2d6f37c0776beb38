import { z } from 'zod';
import { Timestamp } from './names.ts';
import { open } from './open.ts';
import { Spec } from './spec.ts';

export const SyncState = open('unknown', 'synced', 'out-of-sync');
export type SyncState = z.infer<typeof SyncState>;
export const HealthState = open('unknown', 'healthy', 'progressing', 'degraded', 'missing');
export type HealthState = z.infer<typeof HealthState>;
export const SyncAction = open('unknown', 'unchanged', 'install', 'upgrade');
export type SyncAction = z.infer<typeof SyncAction>;
export const DriftState = open('unknown', 'none', 'detected');
export type DriftState = z.infer<typeof DriftState>;
export const DriftReason = open('unknown', 'modified', 'missing', 'unexpected', 'rolled-back');
export type DriftReason = z.infer<typeof DriftReason>;

export const SyncResult = z.object({
  revision: z.string(),
  startedAt: Timestamp,
  finishedAt: Timestamp,
  succeeded: z.boolean(),
  error: z.string().optional(),
});
export type SyncResult = z.infer<typeof SyncResult>;

export const SyncSummary = z.object({
  install: z.number(),
  upgrade: z.number(),
  unchanged: z.number(),
  drifted: z.number().optional(),
});
export type SyncSummary = z.infer<typeof SyncSummary>;

export const Sync = z.object({
  state: SyncState,
  revision: z.string(),
  summary: SyncSummary,
  lastSync: SyncResult.optional(),
});
export type Sync = z.infer<typeof Sync>;

export const Health = z.object({
  state: HealthState,
  message: z.string(),
  services: z.object({ healthy: z.number(), total: z.number() }),
});
export type Health = z.infer<typeof Health>;

export const FieldDrift = z.object({ field: z.string(), desired: z.string(), live: z.string() });
export type FieldDrift = z.infer<typeof FieldDrift>;
export const ServiceDrift = z.object({
  name: z.string(),
  reason: DriftReason,
  fields: z.array(FieldDrift),
  truncated: z.number().optional(),
  orphaned: z.boolean().optional(),
  message: z.string().optional(),
});
export type ServiceDrift = z.infer<typeof ServiceDrift>;
export const ResourceDrift = z.object({
  kind: open('unknown', 'network', 'config', 'secret'),
  name: z.string(),
});
export type ResourceDrift = z.infer<typeof ResourceDrift>;
export const ReleaseDrift = z.object({
  state: DriftState,
  services: z.array(ServiceDrift),
  resources: z.array(ResourceDrift),
  message: z.string().optional(),
});
export type ReleaseDrift = z.infer<typeof ReleaseDrift>;
export const Drift = z.object({
  state: DriftState,
  services: z.number(),
  resources: z.number().optional(),
  message: z.string().optional(),
});
export type Drift = z.infer<typeof Drift>;

export const ServiceStatus = z.object({
  /** Scoped: `<release>_<service>`. */
  name: z.string(),
  mode: z.string(),
  running: z.number(),
  desired: z.number(),
  completed: z.number().optional(),
  health: HealthState,
  /** The daemon's word; empty: never updated. */
  updateState: z.string(),
  message: z.string().optional(),
});
export type ServiceStatus = z.infer<typeof ServiceStatus>;

export const ReleaseStatus = z.object({
  name: z.string(),
  chart: z.string(),
  version: z.string(),
  /** The newest recorded revision, 0 when there is none. */
  revision: z.number(),
  action: SyncAction,
  sync: SyncState,
  health: Health,
  services: z.array(ServiceStatus),
  wave: z.number().optional(),
  drift: ReleaseDrift.optional(),
  /** Why the plan wants to write, one line each: `service web: image`. Absent when unchanged. */
  reasons: z.array(z.string()).optional(),
});
export type ReleaseStatus = z.infer<typeof ReleaseStatus>;

export const Hold = z.object({
  /** `pause` or `rollback` by a person, `unstable` (renders differently each time), … */
  reason: z.string(),
  by: z.string(),
  at: Timestamp,
  message: z.string().optional(),
  /** The release that was rolled back, and the revision it went back to; a pause keeps both. */
  release: z.string().optional(),
  revision: z.number().optional(),
  /** What Git had, and the digest of what was built of it: a rollback is held until another commit changes what is built. */
  commit: z.string().optional(),
  digest: z.string().optional(),
});
export type Hold = z.infer<typeof Hold>;

export const Warning = z.object({
  rule: z.string(),
  message: z.string(),
  file: z.string().optional(),
  line: z.number().optional(),
  path: z.string().optional(),
});
export type Warning = z.infer<typeof Warning>;

export const Provenance = z.object({
  commit: z.string(),
  author: z.string().optional(),
  subject: z.string().optional(),
  committedAt: Timestamp.optional(),
});
export type Provenance = z.infer<typeof Provenance>;

export const Status = z.object({
  sync: Sync,
  health: Health,
  drift: Drift.optional(),
  releases: z.array(ReleaseStatus).optional(),
  error: z.string().optional(),
  code: z.string().optional(),
  observedAt: Timestamp.optional(),
  /** Set while a person or a rule holds the application. */
  hold: Hold.optional(),
  warnings: z.array(Warning).optional(),
  /** Capabilities the backend lacks, and what that costs. */
  missingCapabilities: z.array(z.object({ capability: z.string(), costs: z.string() })).optional(),
  provenance: Provenance.optional(),
  /** True while work on it runs. */
  working: z.boolean().optional(),
});
export type Status = z.infer<typeof Status>;

/** What the API calls an application. */
export const View = z.object({ spec: Spec, status: Status });
export type View = z.infer<typeof View>;

/** The status of an application nobody has looked at yet. */
export function initialStatus(): Status {
  return {
    sync: { state: 'unknown', revision: '', summary: { install: 0, upgrade: 0, unchanged: 0 } },
    health: { state: 'unknown', message: '', services: { healthy: 0, total: 0 } },
  };
}

export const AppSetMode = open('unknown', 'static', 'git', 'path');
export const AppSetStatus = z.object({
  mode: AppSetMode,
  source: z.string(),
  revision: z.string(),
  loadedAt: Timestamp.optional(),
  error: z.string().optional(),
  issues: z.array(z.unknown()).optional(),
  stale: z.boolean(),
  orphaned: z.array(z.string()),
  pruned: z.array(z.string()),
  pruneHeldBy: z.array(z.string()),
});
export type AppSetStatus = z.infer<typeof AppSetStatus>;

export const DiffResponse = z.object({
  planned: z.boolean(),
  releases: z.array(z.object({ release: z.string(), action: SyncAction, diff: z.string() })).nullable(),
});
export type DiffResponse = z.infer<typeof DiffResponse>;

export const HistoryRevision = z.object({
  revision: z.number(),
  chart: z.string(),
  version: z.string(),
  status: z.string(),
  created: Timestamp,
  owner: z.string(),
  commit: z.string().optional(),
});
export const History = z.object({
  releases: z.array(z.object({ name: z.string(), revisions: z.array(HistoryRevision) })),
});
export type History = z.infer<typeof History>;
