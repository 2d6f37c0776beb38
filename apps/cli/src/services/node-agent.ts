import type { SettingsOf } from '../settings/shapes.ts';
import { natsBus } from './nats-bus.ts';
import { nodeAgentPart } from './node-agent-part.ts';
import { loggerOf } from './process.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** `hivekeep service node-agent`. */
export async function run(settings: SettingsOf<'node-agent'>): Promise<void> {
  const logger = loggerOf(settings);
  await runUntilStopped(
    logger,
    async (_signal, keep) => {
      const bus = await natsBus('node-agent', settings, logger);
      keep(nodeAgentPart({ bus, swarm: settings.swarm, address: settings.dockerHost, logger }));
    },
    settings.monitorListen,
  );
}
