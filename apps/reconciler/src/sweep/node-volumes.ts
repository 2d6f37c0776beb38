import { HivekeepError } from '@hivekeep/contracts';
import { coverage, type NodeAnswer, type VolumeTicket } from '@hivekeep/planner';
import { type Backend, hasCapability, type NodeReach, type SwarmLease } from '@hivekeep/swarm';
import type { Looks } from '../looks.ts';

export interface NodeVolumesTools {
  readonly backend: Backend;
  readonly swarm: string;
  /** `outdated`: nodes that it left out because their agent is too old. */
  readonly reach: NodeReach & { readonly outdated: ReadonlySet<string> };
  readonly looks: Looks;
  readonly lease: SwarmLease;
  readonly monotonicNow: () => number;
}

/** What every node's agent said about one stack's volumes. */
export interface VolumeRound {
  readonly tickets: readonly VolumeTicket[];
  /** Monotonic milliseconds after which the first of the tickets may have run out. */
  readonly validUntil: number;
  /** Monotonic milliseconds after which all of them have. */
  readonly expiresBy: number;
  readonly uncovered: readonly { readonly node: string; readonly hostname: string; readonly reason: string }[];
}

/** How long one agent may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;

/** Asks every node that can be reached; then reads the manager's node list, so that a node that joined meanwhile is not missed. */
export async function askForVolumes(tools: NodeVolumesTools, stack: string, signal: AbortSignal): Promise<VolumeRound> {
  const target = { swarm: tools.swarm };
  const nodes = await tools.reach.nodes(target);
  const answers = new Map<string, NodeAnswer>([...tools.reach.outdated].map((id) => [id, 'old version']));
  const tickets: VolumeTicket[] = [];
  const asked = tools.monotonicNow();
  let validMs = Number.POSITIVE_INFINITY;
  let expiresBy = asked;
  await Promise.all(
    nodes.map(async ({ id }) => {
      try {
        const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
        const answer = await tools.reach
          .nodeBackend({ ...target, nodeId: id })
          .stackVolumes({ stack, epoch: tools.lease.epoch, signal: within });
        validMs = Math.min(validMs, answer.validMs);
        expiresBy = Math.max(expiresBy, tools.monotonicNow() + answer.validMs);
        tickets.push({ node: id, ticket: answer.ticket, volumes: answer.volumes.map((volume) => volume.name) });
        answers.set(id, 'answered');
      } catch (error) {
        if (signal.aborted || HivekeepError.is(error, 'node/stale-epoch')) throw error;
        answers.set(id, 'no agent');
      }
    }),
  );
  const world = await tools.looks.fresh();
  const known = Object.entries(tools.lease.lastKnown?.state.nodes ?? {});
  const forgotten = new Set(known.filter(([, node]) => node.forgotten).map(([id]) => id));
  const covered = coverage({
    listedNow: world.index.snapshot.nodes,
    everListed: new Map(known.map(([id, node]) => [id, node.hostname])),
    forgotten,
    answers,
  });
  const uncovered = covered
    .filter((node) => !node.covered)
    .map(({ id, hostname, reason = 'no agent' }) => ({ node: id, hostname, reason }));
  const accounted = covered.length + forgotten.size;
  if (!hasCapability(tools.backend, 'SwarmSizer') || tools.backend.swarmNodes({ look: world.index }) > accounted)
    uncovered.push({ node: 'others', hostname: 'others', reason: 'how many nodes the swarm has is not known' });
  return { tickets, validUntil: asked + validMs, expiresBy, uncovered };
}
