import { z } from 'zod';
import { Timestamp } from './names.ts';

export const eventTypes = [
  'sync-started',
  'sync-succeeded',
  'sync-failed',
  'drift-detected',
  'live-drift-detected',
  'drift-converged',
  'resources-pruned',
  'prune-failed',
  'prune-held',
  'self-update-issued',
  'application-orphaned',
  'application-paused',
  'application-resumed',
  'application-rolled-back',
  'out-of-band-write',
  'lease-taken',
  'lease-lost',
  'frozen',
  'unfrozen',
] as const;

/** Something that happened on a swarm. Never holds an environment value, a secret or a config's content. */
export const Event = z.object({
  application: z.string(),
  swarm: z.string(),
  type: z.string(),
  revision: z.string().optional(),
  message: z.string().optional(),
  actor: z.string().optional(),
  at: Timestamp,
});
export type Event = z.infer<typeof Event>;
export type EventType = (typeof eventTypes)[number];

/** An event as a subscriber gets it. `id` is `<log id>-<sequence>`. A `reset` says that what came before can't be replayed. */
export type StoredEvent = { id: string; event: Event } | { id: string; reset: string };
