import type { SettingsOf } from '../settings/shapes.ts';
import { natsBus } from './nats-bus.ts';
import { loggerOf } from './process.ts';
import { reconcilerPart } from './reconciler-part.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** `hivekeep service reconciler`. */
export async function run(settings: SettingsOf<'reconciler'>): Promise<void> {
  const logger = loggerOf(settings);
  await runUntilStopped(
    logger,
    async (_signal, keep) => {
      keep(await reconcilerPart(await natsBus(`reconciler ${settings.swarm}`, settings, logger), settings, logger));
    },
    settings.monitorListen,
  );
}
