/** Who owns a release: the controller's id and the application. */
export interface Owner {
  readonly controllerId: string;
  readonly application: string;
}

/** A stored stamp, `<owner id>:<kind>/<name>`. */
export interface OwnerStamp {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
}

/** `cd/<controllerId>/<application>`. Source: the swarmcli family's owner ids. */
export function ownerId({ controllerId, application }: Owner): string {
  return `cd/${controllerId}/${application}`;
}

/** What a release's record carries: `cd/<controllerId>/<application>:release/<release>`. */
export function ownerStamp(owner: Owner, release: string): string {
  return `${ownerId(owner)}:release/${release}`;
}

/** A stored stamp in its parts, cut at the first `:`; undefined when it is none. */
export function parseOwnerStamp(stamp: string): OwnerStamp | undefined {
  const match = /^([^:]+):([^/]+)\/(.+)$/.exec(stamp);
  if (match === null) return undefined;
  const [, id = '', kind = '', name = ''] = match;
  return { id, kind, name };
}

/** The owner an id of this controller names; undefined for any other id (`apply/…`, another controller's, `cd/<application>`). */
export function parseOwnerId(id: string, controllerId: string): Owner | undefined {
  const prefix = `cd/${controllerId}/`;
  if (!id.startsWith(prefix)) return undefined;
  const application = id.slice(prefix.length);
  return application === '' || application.includes('/') ? undefined : { controllerId, application };
}

/**
 * The application of this controller that owns `release` by its stamp. Undefined when there is no stamp, when it can't be read,
 * when it is somebody else's, or when it was copied from another release: such a release is never deleted.
 */
export function owningApplication(stamp: string | undefined, release: string, controllerId: string): string | undefined {
  const parsed = parseOwnerStamp(stamp ?? '');
  if (parsed === undefined || parsed.kind !== 'release' || parsed.name !== release) return undefined;
  return parseOwnerId(parsed.id, controllerId)?.application;
}

/** Whether the stamp says that `owner` owns `release`. */
export function isOwnedBy(stamp: string | undefined, owner: Owner, release: string): boolean {
  return owningApplication(stamp, release, owner.controllerId) === owner.application;
}
