import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';
import { GatewayConfig, startGateway } from '@hivekeep/gateway';
import { startNodeAgent } from '@hivekeep/node-agent';
import { createLogger, type Logger, type ServiceBus } from '@hivekeep/runtime';
import { SourceConfig, startSource } from '@hivekeep/source';
import { type DockerEndpoint, DockerNodeBackend, DockerSwarm, dockerEndpoint } from '@hivekeep/swarm';
import manifest from '../../package.json' with { type: 'json' };
import type { SettingsOf } from '../settings/shapes.ts';
import type { Stoppable } from './run-until-stopped.ts';

export const version = manifest.version;
const NODE_RETRY_MS = 5_000;

/** The log of a process, on stderr: stdout is data alone. */
export function loggerOf({ logLevel, logFormat }: Pick<SettingsOf<'source'>, 'logLevel' | 'logFormat'>): Logger {
  return createLogger({ level: logLevel, format: logFormat });
}

/** The engine of a `DOCKER_HOST`-like address, with the certificates of `DOCKER_CERT_PATH`. */
export function endpointOf(address: string | undefined): DockerEndpoint {
  return dockerEndpoint(address ?? process.env.DOCKER_HOST, process.env.DOCKER_CERT_PATH);
}

export async function sourcePart(
  bus: ServiceBus,
  settings: Omit<SettingsOf<'source'>, 'nats'>,
  logger: Logger,
  homeSwarm?: string,
): Promise<Stoppable> {
  const config = SourceConfig.parse({ ...settings, ...(homeSwarm && { homeSwarm }) });
  const service = await startSource({ bus, config, logger, version });
  return { name: 'source', stop: () => service.close() };
}

export async function gatewayPart(
  bus: ServiceBus,
  settings: Pick<SettingsOf<'gateway'>, 'listen' | 'adminToken' | 'adminTokenFile' | 'tlsCert' | 'tlsKey' | 'appsetInterval'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Stoppable & { url: string }> {
  const config = GatewayConfig.parse({ ...settings, appSetIntervalMs: settings.appsetInterval });
  const gateway = await startGateway({ bus, config, logger, signal, version });
  return { name: 'gateway', url: gateway.url, stop: gateway.stop };
}

/** An agent for the node whose own engine this is. Throws `swarm/unreachable`, or `swarm/invalid` when it is in no swarm. */
export async function nodeAgentPart(
  bus: ServiceBus,
  swarm: string,
  { name, address }: { name?: string; address: string | undefined },
  logger: Logger,
): Promise<Stoppable> {
  const daemon = new DockerSwarm({ endpoint: endpointOf(address) });
  const { nodeId, state } = await daemon.info();
  if (nodeId === '')
    throw new HivekeepError('swarm/invalid', `the engine at ${address ?? 'its default address'} is in no swarm (${state})`);
  const node = { id: nodeId, hostname: name ?? hostname() };
  const service = await startNodeAgent({ bus, swarm, node, backend: new DockerNodeBackend({ daemon, nodeId }), version, logger });
  return { name: `node-agent ${node.hostname}`, stop: () => service.close() };
}

/**
 * The same for an engine that may not be there yet: tries until it is. What can't be reached meanwhile is shown as an
 * uncovered node, and nothing is deleted on it.
 */
export function lastingNodeAgent(
  bus: ServiceBus,
  swarm: string,
  node: { name?: string; address: string | undefined },
  logger: Logger,
): Stoppable {
  const stop = new AbortController();
  const trying = keepTrying(() => nodeAgentPart(bus, swarm, node, logger), stop.signal, logger.child({ node: node.name ?? 'own' }));
  return {
    name: `node-agent ${node.name ?? ''}`.trim(),
    stop: async () => {
      stop.abort();
      await (await trying)?.stop();
    },
  };
}

async function keepTrying(start: () => Promise<Stoppable>, signal: AbortSignal, logger: Logger): Promise<Stoppable | undefined> {
  let said = '';
  while (!signal.aborted) {
    try {
      return await start();
    } catch (error) {
      const { message } = HivekeepError.from(error);
      if (message !== said) logger.warn('node is not covered yet', { error });
      said = message;
    }
    await sleep(NODE_RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
