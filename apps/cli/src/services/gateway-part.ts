import { GatewayConfig, startGateway } from '@hivekeep/gateway';
import type { Logger, ServiceBus } from '@hivekeep/runtime';
import type { SettingsOf } from '../settings/shapes.ts';
import { version } from './process.ts';
import type { Stoppable } from './run-until-stopped.ts';

type GatewaySettings = Pick<SettingsOf<'gateway'>, 'listen' | 'adminToken' | 'adminTokenFile' | 'tlsCert' | 'tlsKey' | 'appsetInterval'>;

/** The HTTP API. */
export async function gatewayPart(bus: ServiceBus, settings: GatewaySettings, logger: Logger, signal: AbortSignal): Promise<Stoppable> {
  const config = GatewayConfig.parse({ ...settings, appSetIntervalMs: settings.appsetInterval });
  const gateway = await startGateway({ bus, config, logger, signal, version });
  return { name: 'gateway', health: gateway.health, stop: gateway.stop };
}
