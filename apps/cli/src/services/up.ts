import { AdminToken } from '@hivekeep/gateway';
import { MemoryBroker, MemoryBus } from '@hivekeep/runtime';
import type { SettingsOf } from '../settings/shapes.ts';
import { gatewayPart } from './gateway-part.ts';
import { nodeAgentPart } from './node-agent-part.ts';
import { loggerOf } from './process.ts';
import { reconcilerPart } from './reconciler-part.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { sourcePart } from './source-part.ts';

/** `hivekeep up`: the four services in one process, over the in-process bus. They stop in the reverse of their start. */
export async function run(settings: SettingsOf<'up'>): Promise<void> {
  AdminToken.load(settings);
  const logger = loggerOf(settings);
  const broker = new MemoryBroker();
  const bus = () => new MemoryBus(broker, logger);
  await runUntilStopped(
    logger,
    async (signal, keep) => {
      keep(await sourcePart(bus(), settings, logger, settings.swarm));
      for (const node of nodesOf(settings)) keep(nodeAgentPart({ bus: bus(), swarm: settings.swarm, logger, ...node }));
      keep(await reconcilerPart(bus(), settings, logger));
      keep(await gatewayPart(bus(), settings, logger, signal));
    },
    settings.monitorListen,
  );
}

/** The node of the own engine, and those given with `--node NAME=DOCKER_HOST`. */
function nodesOf({ dockerHost, node }: SettingsOf<'up'>): { name?: string; address: string | undefined }[] {
  const given = node.map((text) => ({ name: text.slice(0, text.indexOf('=')), address: text.slice(text.indexOf('=') + 1) }));
  return given.some(({ address }) => address === dockerHost) ? given : [{ address: dockerHost }, ...given];
}
