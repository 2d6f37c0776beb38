/** Who a release or an object belongs to. */
export interface Owner {
  readonly controllerId: string;
  readonly application: string;
}

/** The stamp on records and objects: `cd/<controllerId>/<application>:release/<release>` (the family's format). */
export function ownerStamp(owner: Owner, release: string): string {
  return `cd/${owner.controllerId}/${owner.application}:release/${release}`;
}

/**
 * The owner a stamp names for this release; undefined for none, another tool's, a copied one (it names another release) and one that
 * cannot be read. Those are nobody's: never a proof, never an obstacle.
 */
export function readOwner(stamp: string | undefined, release: string): Owner | undefined {
  const [, controllerId, application, name] = /^cd\/([^/:\s]+)\/([^/:\s]+):release\/(.+)$/.exec(stamp ?? '') ?? [];
  if (controllerId === undefined || application === undefined || name !== release) return undefined;
  return { controllerId, application };
}
