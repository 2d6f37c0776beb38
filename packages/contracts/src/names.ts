import { z } from 'zod';

/** An application's name: a URL segment, a folder name and part of the owner stamp. */
export const ApplicationName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]*$/, 'expected lower-case letters, digits, ".", "_" or "-", starting with a letter or digit');
/** A swarm's name: one token of a bus subject. */
export const SwarmName = z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,62}$/, 'expected letters, digits, "_" or "-" (at most 63)');
/** A controller's id: part of the owner stamp `cd/<controllerId>/<application>`. */
export const ControllerId = z.string().regex(/^[^/:\s]+$/, 'expected no "/", ":" or white space');
/** A full commit id. */
export const Commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
/** `sha256:<hex>` of an artifact's canonical JSON. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
/** RFC 3339, UTC. */
export const Timestamp = z.string();
export const DEFAULT_SWARM = 'default';
/** The subject token that stands for the hub itself where a caller belongs to no swarm (the gateway). */
export const HUB = '_hub';
