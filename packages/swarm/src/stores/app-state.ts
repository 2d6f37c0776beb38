import { Hold } from '@hivekeep/contracts';
import { z } from 'zod';
import { StateLabels } from './state-labels.ts';

/** How far the sweep of a departed release has come; while it stands, the release is not healed. */
export const SweepMark = z.object({
  /** RFC 3339. */
  since: z.string(),
  /** The app set's commit in which the release was missing. */
  commit: z.string(),
  /** Id of the newest record then: a newer one voids the mark. */
  newestRecord: z.string(),
  /** The release, or its application, stands under another swarm: volumes and records stay. */
  moved: z.boolean().default(false),
  phase: z.enum(['marked', 'stack', 'volumes', 'records']),
  /** When the stack phase ended (RFC 3339): the volumes' wait counts from here. */
  stackGoneAt: z.string().optional(),
  /** Removed volumes, as `node/volume`. */
  removedVolumes: z.array(z.string()).optional(),
});
export type SweepMark = z.infer<typeof SweepMark>;

/** What of an application must outlive its reconciler and is no record. Empty: nothing is kept. */
export const AppState = z.object({
  /** A pause by a person or a hold by a rule. */
  hold: Hold.optional(),
  /** A sync that was accepted and is not finished. */
  sync: z.object({ id: z.string(), actor: z.string(), at: z.string() }).optional(),
  /** Hash of the spec that swarm rolled back, by service name. */
  rolledBack: z.record(z.string(), z.string()).optional(),
  /** By release. */
  sweep: z.record(z.string(), SweepMark).optional(),
});
export type AppState = z.infer<typeof AppState>;

export const appStateLabels = new StateLabels(AppState, 8 * 1024);
