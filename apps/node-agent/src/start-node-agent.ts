import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { nodeAgentCalls } from '@hivekeep/contracts';
import { type Logger, type RunningService, type ServiceBus, startService } from '@hivekeep/runtime';
import type { NodeBackend } from '@hivekeep/swarm';
import { nodeAgentModule } from './node-agent.module.ts';

export interface NodeAgentOptions {
  /** Closed with the agent. */
  readonly bus: ServiceBus;
  /** Over the node's own daemon. */
  readonly backend: NodeBackend;
  /** The node as its swarm knows it. */
  readonly node: { readonly id: string; readonly hostname: string };
  readonly swarm: string;
  readonly version: string;
  readonly logger: Logger;
}

/** Serves one node's volumes to its swarm's reconciler and announces the node. Closing takes the announcement back first. */
export async function startNodeAgent({ bus, backend, node, swarm, version, logger }: NodeAgentOptions): Promise<RunningService> {
  const service = await startService({
    name: 'node-agent',
    module: nodeAgentModule(backend),
    bus,
    contracts: Object.values(nodeAgentCalls),
    logger,
    swarm,
    node: node.id,
  });
  const instance = randomUUID();
  const withdraw = await bus.presence.announce(() => ({
    service: 'node-agent',
    instance,
    version,
    swarm,
    node: { id: node.id, hostname: node.hostname },
    at: new Date().toISOString(),
  }));
  const close = async () => {
    await withdraw();
    await service.close();
  };
  return { ...service, close };
}
