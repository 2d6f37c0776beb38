import { ControllerId, SwarmName } from '@hivekeep/contracts';
import { z } from 'zod';

const milliseconds = z.number().int().positive();

/** What a reconciler is told at its start. Durations are milliseconds here; flags take Go durations. */
export const ReconcilerOptions = z.object({
  swarm: SwarmName,
  /** Serves the applications without a destination. */
  home: z.boolean().default(false),
  controllerId: ControllerId.default('default'),
  takeOver: z.boolean().default(false),
  reconcileIntervalMs: milliseconds.default(180_000),
  appSetIntervalMs: milliseconds.default(180_000),
  prune: z.boolean().default(false),
  pruneVolumes: z.boolean().default(false),
  pruneVolumesAfterMs: z.number().int().nonnegative().default(86_400_000),
  /** Folder of registry credential files, by the name an application gives. */
  registryAuthDir: z.string().default('/run/secrets'),
});
export type ReconcilerOptions = z.infer<typeof ReconcilerOptions>;

/** Bounds of the reconciler, in milliseconds where nothing else is said. */
export const LIMITS = {
  /** How long a departed application may still work before it counts as draining. */
  drainMs: 30_000,
  /** How long a term's end waits for work in hand. */
  stopMs: 5_000,
  /** Kept records of the swarm, bytes: beyond, nothing new is recorded. */
  recordBudget: 64 * 1024 * 1024,
} as const;
