import type { Logger } from '@hivekeep/runtime';
import type { AppSet } from './app-set/app-set.ts';
import type { Mirrors } from './git/index.ts';

export interface HousekeepingOptions {
  readonly mirrors: Mirrors;
  readonly appSet: AppSet;
  /** The repository of the app set, which is always kept. */
  readonly appSetRepo: string | undefined;
  readonly intervalMs: number;
  readonly logger: Logger;
}

/** Removes mirrors that nothing uses, again and again. Gives what stops it, which waits for a sweep under way. */
export function startHousekeeping({ mirrors, appSet, appSetRepo, intervalMs, logger }: HousekeepingOptions): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    const applications = appSet.newest;
    // A set that is not known to be the newest one does not say what nobody needs any more.
    if (!applications) return;
    const wanted = new Set(applications.map(({ source }) => source.repoURL));
    if (appSetRepo !== undefined) wanted.add(appSetRepo);
    const removed = await mirrors.sweep([...wanted]);
    if (removed > 0) logger.info('removed unused mirrors', { removed });
  };
  const arm = (): void => {
    timer = setTimeout(() => {
      sweeping = sweep()
        .catch((error: unknown) => logger.warn('the sweep of mirrors failed', { error }))
        .finally(() => {
          if (!stopped) arm();
        });
    }, intervalMs);
    timer.unref();
  };
  arm();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await sweeping;
  };
}
