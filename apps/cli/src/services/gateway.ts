import { AdminToken } from '@hivekeep/gateway';
import type { SettingsOf } from '../settings/shapes.ts';
import { gatewayPart } from './gateway-part.ts';
import { natsBus } from './nats-bus.ts';
import { loggerOf } from './process.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** `hivekeep service gateway`. Without a token it ends at once, before it waits for a bus. */
export async function run(settings: SettingsOf<'gateway'>): Promise<void> {
  AdminToken.load(settings);
  const logger = loggerOf(settings);
  await runUntilStopped(
    logger,
    async (signal, keep) => {
      keep(await gatewayPart(await natsBus('gateway', settings, logger), settings, logger, signal));
    },
    settings.monitorListen,
  );
}
