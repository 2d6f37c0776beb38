import { Hold } from '@hivekeep/contracts';
import { z } from 'zod';
import { StateLabels } from './state-labels.ts';

/** The planner's `SweepMark` as it is kept. Times are milliseconds since the epoch. */
const KeptSweepMark = z.object({
  application: z.string(),
  release: z.string(),
  since: z.number(),
  commit: z.string(),
  newestRecord: z.string(),
  moved: z.boolean(),
  phase: z.enum(['stack', 'volumes', 'records']),
  begun: z.boolean(),
  volumesAt: z.number().optional(),
});

/** What of an application must outlive its reconciler and is no record. Empty: nothing is kept. */
export const AppState = z.object({
  /** A pause by a person or a hold by a rule. */
  hold: Hold.optional(),
  /** A sync that was accepted and is not finished. */
  sync: z.object({ id: z.string(), actor: z.string(), at: z.string() }).optional(),
  /** A rollback that was accepted and is not finished. */
  rollback: z.object({ id: z.string(), actor: z.string(), at: z.string(), release: z.string(), revision: z.number() }).optional(),
  /** Hash of the spec that swarm rolled back, by service name. */
  rolledBack: z.record(z.string(), z.string()).optional(),
  /** How far the sweep of each departed release has come, by release: while a mark stands, the release is not healed. */
  sweep: z.record(z.string(), KeptSweepMark).optional(),
});
export type AppState = z.infer<typeof AppState>;

export const appStateLabels = new StateLabels(AppState, 8 * 1024);
