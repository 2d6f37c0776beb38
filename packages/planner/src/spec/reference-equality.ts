import type { ConfigReferenceSpec, NetworkAttachment, ObjectReference, SecretReferenceSpec } from '@hivekeep/compose';
import { sameMap, sameSet, sameValue } from './value-equality.ts';

/** What names mean on the swarm right now. */
export interface NameIndex {
  /** Network id to name, of every network of the swarm. */
  readonly networkNames: ReadonlyMap<string, string>;
  /** Config and secret name to id. */
  readonly configIds: ReadonlyMap<string, string>;
  readonly secretIds: ReadonlyMap<string, string>;
}

/** Networks every node has under its own id; a manager lists none that a service could be compared with. */
export const NODE_NETWORKS: ReadonlySet<string> = new Set(['host', 'bridge', 'none', 'nat']);

function sameTarget(desired: string, live: string, names: NameIndex): boolean {
  if (desired === live) return true;
  const name = names.networkNames.get(live);
  return name === undefined ? NODE_NETWORKS.has(desired) : name === desired;
}

/** Attachments compared by the network's name: the daemon stores ids. Their order and that of aliases mean nothing. */
export function sameAttachments(
  desired: readonly NetworkAttachment[] | null | undefined,
  live: readonly NetworkAttachment[] | null | undefined,
  names: NameIndex,
): boolean {
  const wanted = desired ?? [];
  const found = live ?? [];
  if (wanted.length !== found.length) return false;
  const same = (want: NetworkAttachment, have: NetworkAttachment): boolean =>
    sameTarget(want.Target, have.Target, names) && sameSet(want.Aliases, have.Aliases) && sameMap(want.DriverOpts, have.DriverOpts);
  return wanted.every((want) => found.some((have) => same(want, have)));
}

interface NamedReference extends ObjectReference {
  readonly id: string;
  readonly name: string;
}

function sameReference(want: NamedReference, have: NamedReference, ids: ReadonlyMap<string, string>): boolean {
  if (want.name !== have.name) return false;
  const id = ids.get(want.name);
  if (id !== undefined && id !== have.id) return false;
  return (want.Runtime == null) === (have.Runtime == null) && sameValue(want.File, have.File);
}

function sameReferences(wanted: readonly NamedReference[], found: readonly NamedReference[], ids: ReadonlyMap<string, string>): boolean {
  return wanted.length === found.length && wanted.every((want) => found.some((have) => sameReference(want, have, ids)));
}

/**
 * Configs a service mounts: the same names, targets, owners and modes. One deleted and made again under its name has another id,
 * which the running spec does not know: that differs.
 */
export function sameConfigReferences(
  desired: readonly ConfigReferenceSpec[] | null | undefined,
  live: readonly ConfigReferenceSpec[] | null | undefined,
  names: NameIndex,
): boolean {
  if (!desired?.length && !live?.length) return true;
  const named = (refs: typeof desired): NamedReference[] => (refs ?? []).map((ref) => ({ ...ref, id: ref.ConfigID, name: ref.ConfigName }));
  return sameReferences(named(desired), named(live), names.configIds);
}

/** As `sameConfigReferences`, of secrets. */
export function sameSecretReferences(
  desired: readonly SecretReferenceSpec[] | null | undefined,
  live: readonly SecretReferenceSpec[] | null | undefined,
  names: NameIndex,
): boolean {
  if (!desired?.length && !live?.length) return true;
  const named = (refs: typeof desired): NamedReference[] => (refs ?? []).map((ref) => ({ ...ref, id: ref.SecretID, name: ref.SecretName }));
  return sameReferences(named(desired), named(live), names.secretIds);
}
