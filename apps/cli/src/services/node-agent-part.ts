import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';
import { startNodeAgent } from '@hivekeep/node-agent';
import { countDaemonCall, Health, type Logger, type RunningService, type ServiceBus } from '@hivekeep/runtime';
import { DockerNodeBackend, DockerSwarm } from '@hivekeep/swarm';
import { endpointOf } from './engine-endpoint.ts';
import { version } from './process.ts';
import type { Stoppable } from './run-until-stopped.ts';

export interface NodeAgentPartOptions {
  readonly bus: ServiceBus;
  readonly swarm: string;
  /** The node's name; this machine's when absent. */
  readonly name?: string;
  /** Its engine; that of the environment when absent. */
  readonly address?: string | undefined;
  readonly logger: Logger;
}

const RETRY_MS = 5_000;

/**
 * The agent of one node, whose engine may not be there yet: tries until it is. Meanwhile the node is shown as uncovered, and
 * nothing is deleted on it.
 */
export function nodeAgentPart(options: NodeAgentPartOptions): Stoppable {
  const { bus, name = hostname() } = options;
  const daemon = new DockerSwarm({ endpoint: endpointOf(options.address), onCall: countDaemonCall });
  const stop = new AbortController();
  const health = new Health();
  let started = false;
  health.add('ready', 'engine', async () => {
    if (!started) throw new HivekeepError('node/unreachable', 'the engine of this node has not answered yet, or is in no swarm');
    await daemon.info();
  });
  health.add('ready', 'bus', () => {
    if (!bus.wire.connected) throw new HivekeepError('bus/unavailable', 'not connected to the bus');
  });
  const start = async () => {
    const agent = await startAgent(daemon, name, options);
    started = true;
    return agent;
  };
  const trying = keepTrying(start, stop.signal, options.logger.child({ node: name }));
  return {
    name: `node-agent ${name}`,
    health,
    stop: async () => {
      stop.abort();
      const agent = await trying;
      await (agent ? agent.close() : bus.close());
      daemon.close();
    },
  };
}

async function startAgent(daemon: DockerSwarm, name: string, { bus, swarm, logger }: NodeAgentPartOptions): Promise<RunningService> {
  const { nodeId, state } = await daemon.info();
  if (nodeId === '') throw new HivekeepError('swarm/invalid', `the engine of node ${name} is in no swarm (its state is ${state})`);
  const node = { id: nodeId, hostname: name };
  return startNodeAgent({
    bus,
    swarm,
    node,
    backend: new DockerNodeBackend({ daemon, nodeId }),
    ping: () => daemon.ping(),
    version,
    logger,
  });
}

async function keepTrying(start: () => Promise<RunningService>, signal: AbortSignal, logger: Logger): Promise<RunningService | undefined> {
  let said = '';
  while (!signal.aborted) {
    try {
      return await start();
    } catch (error) {
      const { message } = HivekeepError.from(error);
      if (message !== said) logger.warn('node is not covered yet', { error });
      said = message;
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
