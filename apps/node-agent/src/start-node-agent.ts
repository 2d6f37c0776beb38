import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeAgentCalls } from '@hivekeep/contracts';
import { type Announced, type Logger, type RunningService, type ServiceBus, startService } from '@hivekeep/runtime';
import type { NodeBackend } from '@hivekeep/swarm';
import { nodeAgentModule } from './node-agent.module.ts';

export interface NodeAgentOptions {
  /** Closed with the agent. */
  readonly bus: ServiceBus;
  /** Over the node's own daemon. */
  readonly backend: NodeBackend;
  /** Rejects when the node's daemon does not answer. */
  ping(): Promise<unknown>;
  /** How often the daemon is asked, in milliseconds. */
  readonly pingEveryMs?: number;
  /** The node as its swarm knows it. */
  readonly node: { readonly id: string; readonly hostname: string };
  readonly swarm: string;
  readonly version: string;
  readonly logger: Logger;
}

const PING_EVERY_MS = 10_000;

/**
 * Serves one node's volumes to its swarm's reconciler and announces the node while its daemon answers: a node that can't be reached is
 * none that is listed. Closing takes the announcement back first.
 */
export async function startNodeAgent(options: NodeAgentOptions): Promise<RunningService> {
  const { bus, backend, node, swarm, version, logger, pingEveryMs = PING_EVERY_MS } = options;
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
  const announce = () =>
    bus.presence.announce(() => ({
      service: 'node-agent',
      instance,
      version,
      swarm,
      node: { id: node.id, hostname: node.hostname },
      at: new Date().toISOString(),
    }));
  const stop = new AbortController();
  const watching = announceWhile(await announce(), announce, options.ping, pingEveryMs, stop.signal);
  const close = async () => {
    stop.abort();
    await watching;
    await service.close();
  };
  return { ...service, close };
}

/** Takes the announcement back while `ping` fails, and in the end. */
async function announceWhile(
  first: Announced,
  announce: () => Promise<Announced>,
  ping: () => Promise<unknown>,
  everyMs: number,
  signal: AbortSignal,
): Promise<void> {
  let withdraw: Announced | undefined = first;
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const answers = await ping().then(
      () => true,
      () => false,
    );
    if (answers) withdraw ??= await announce();
    else {
      await withdraw?.();
      withdraw = undefined;
    }
  }
  await withdraw?.();
}
