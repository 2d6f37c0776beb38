import type { Logger, ServiceBus } from '@hivekeep/runtime';
import { SourceConfig, startSource } from '@hivekeep/source';
import type { SettingsOf } from '../settings/shapes.ts';
import { version } from './process.ts';
import type { Stoppable } from './run-until-stopped.ts';

/** The source. `homeSwarm`: the only swarm that may take applications without a destination; any that asks when absent. */
export async function sourcePart(
  bus: ServiceBus,
  settings: Omit<SettingsOf<'source'>, 'nats' | 'natsReplicas'>,
  logger: Logger,
  homeSwarm?: string,
): Promise<Stoppable> {
  const config = SourceConfig.parse({ ...settings, ...(homeSwarm && { homeSwarm }) });
  const service = await startSource({ bus, config, logger, version });
  return { name: 'source', health: service.health, stop: () => service.close() };
}
