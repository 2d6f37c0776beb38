import { HivekeepError, type Spec } from '@hivekeep/contracts';

/** Parts of a declaration that validate and are not built: each costs its application, and no other. Throws `…/unsupported`. */
export function refuseUnsupported({ name, self, syncPolicy }: Spec): void {
  if (self)
    throw new HivekeepError(
      'application/unsupported',
      `application '${name}': self is not supported yet; deploy the controller's own stack by hand and remove the key`,
    );
  const pruning = (['prune', 'pruneResources', 'pruneFirst'] as const).filter((key) => syncPolicy[key]);
  if (pruning.length === 0) return;
  const keys = pruning.map((key) => `syncPolicy.${key}`).join(', ');
  throw new HivekeepError(
    'prune/unsupported',
    `application '${name}': ${keys} is not supported yet; applications that leave the set are removed with --prune. Remove the key to sync this application`,
  );
}
