import type { SettingsOf } from '../settings/shapes.ts';
import { natsBus } from './nats-bus.ts';
import { loggerOf } from './process.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { sourcePart } from './source-part.ts';

/** `hivekeep plan` builds with this very service. */
export { planOffline } from '../plan/build-offline.ts';

/** `hivekeep service source`. */
export async function run(settings: SettingsOf<'source'>): Promise<void> {
  const logger = loggerOf(settings);
  await runUntilStopped(
    logger,
    async (_signal, keep) => {
      keep(await sourcePart(await natsBus('source', settings, logger), settings, logger));
    },
    settings.monitorListen,
  );
}
