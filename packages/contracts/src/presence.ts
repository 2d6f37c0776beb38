import { z } from 'zod';
import { Timestamp } from './names.ts';
import { open } from './open.ts';

/** Who is there. Renewed while the process lives; gone when it was not renewed in time. */
export const Presence = z.object({
  service: open('unknown', 'source', 'reconciler', 'node-agent', 'gateway'),
  /** Random per process start. */
  instance: z.string(),
  version: z.string(),
  /** The swarm it belongs to; absent for hub services. */
  swarm: z.string().optional(),
  /** Of an agent: its node's id and host name. */
  node: z.object({ id: z.string(), hostname: z.string() }).optional(),
  /** Of a reconciler: holder of the lease, and serving applications without a destination. */
  active: z.boolean().optional(),
  home: z.boolean().optional(),
  at: Timestamp,
});
export type Presence = z.infer<typeof Presence>;
