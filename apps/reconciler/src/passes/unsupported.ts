import { HivekeepError, type Spec } from '@hivekeep/contracts';

/**
 * Why an application is not reconciled: parts of its declaration that validate and are not built. Each costs its application, and no
 * other. An error with the code `…/unsupported`, undefined when there are none.
 */
export function unsupported({ name, self, syncPolicy }: Spec): HivekeepError | undefined {
  if (self)
    return new HivekeepError(
      'application/unsupported',
      `application '${name}': self is not supported yet; deploy the controller's own stack by hand and remove the key`,
    );
  const pruning = (['prune', 'pruneResources', 'pruneFirst'] as const).filter((key) => syncPolicy[key]);
  if (pruning.length === 0) return undefined;
  const keys = pruning.map((key) => `syncPolicy.${key}`).join(', ');
  return new HivekeepError(
    'prune/unsupported',
    `application '${name}': ${keys} is not supported yet; applications that leave the set are removed with --prune. Remove the key to sync this application`,
  );
}
