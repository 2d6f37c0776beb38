import { type Owner, parseOwnerStamp } from '@hivekeep/application';

/**
 * The owner a stamp names for this release, of whichever controller; undefined for none, another tool's, a copied one (it names another
 * release) and one that cannot be read. Those are nobody's: never a proof, never an obstacle.
 */
export function readOwner(stamp: string | undefined, release: string): Owner | undefined {
  const parsed = parseOwnerStamp(stamp ?? '');
  if (parsed === undefined || parsed.kind !== 'release' || parsed.name !== release) return undefined;
  const [, controllerId, application] = /^cd\/([^/\s]+)\/([^/\s]+)$/.exec(parsed.id) ?? [];
  return controllerId === undefined || application === undefined ? undefined : { controllerId, application };
}
