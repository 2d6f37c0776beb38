import type { SettingsOf } from '../settings/shapes.ts';
import { natsBus } from './nats-bus.ts';
import { lastingNodeAgent, loggerOf } from './parts.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** `hivekeep service node-agent`. */
export async function run(settings: SettingsOf<'node-agent'>): Promise<void> {
  const logger = loggerOf(settings);
  await runUntilStopped(logger, async (_signal, keep) => {
    const bus = await natsBus('node-agent', settings, logger);
    keep(lastingNodeAgent(bus, settings.swarm, { address: settings.dockerHost }, logger));
  });
}
