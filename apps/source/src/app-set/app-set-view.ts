import { createHash } from 'node:crypto';
import type { Spec } from '@hivekeep/contracts';

/** The releases an application's own entry names; those inside a release file are not known from the set. */
export function releasesOf({ name, source }: Spec): string[] {
  const definition = source.compose ?? source.chart;
  return definition ? [definition.release ?? name] : [];
}

/** sha256 of bytes, hex. */
export function contentDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
