import { HivekeepError } from '@hivekeep/contracts';
import { type LiveService, type Step, sameValue, type WrittenService } from '@hivekeep/planner';
import type { ApplyTools } from './apply-release.ts';

type ServiceStep = Extract<Step, { kind: 'service' }>;

/** How often swarm's own bookkeeping may move the index under one write. */
const CONFLICT_ATTEMPTS = 8;

/**
 * Creates or updates one service. On "out of sequence" it reads again: the same spec means that swarm itself moved the
 * index, and the write is tried with the new one; another spec means that somebody else wrote, which is reported and left.
 * Throws `swarm/conflict` in that case.
 */
export async function writeService(
  tools: Pick<ApplyTools, 'daemon' | 'outOfBand'>,
  step: ServiceStep,
  auth: string | undefined,
  signal: AbortSignal,
): Promise<WrittenService> {
  if (step.action === 'create') {
    const id = await tools.daemon.createService(step.spec, auth, signal);
    return { serviceId: id, name: step.name, templateChanged: true };
  }
  let version = step.version;
  for (let attempt = 0; ; attempt += 1) {
    try {
      await tools.daemon.updateService(step.id, version, step.spec, auth, signal);
      return { serviceId: step.id, name: step.name, specBefore: step.liveSpec, writtenAtVersion: version, templateChanged: step.restarts };
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/conflict')) throw error;
      const live = await tools.daemon.inspectService(step.id, signal);
      version = await indexToRetry(tools, step, live, attempt);
    }
  }
}

async function indexToRetry(
  tools: Pick<ApplyTools, 'daemon' | 'outOfBand'>,
  step: Extract<ServiceStep, { action: 'update' }>,
  live: LiveService | undefined,
  attempt: number,
): Promise<number> {
  if (!live)
    throw new HivekeepError(
      'swarm/conflict',
      `service '${step.name}' was removed by somebody else while it was being updated; it is planned again`,
    );
  if (!sameValue(live.spec, step.liveSpec)) {
    tools.outOfBand(step.name);
    throw new HivekeepError(
      'swarm/conflict',
      `service '${step.name}' was changed by somebody else while it was being updated; it is left as it is and planned again`,
    );
  }
  if (attempt + 1 >= CONFLICT_ATTEMPTS) {
    throw new HivekeepError(
      'swarm/conflict',
      `service '${step.name}' moved under ${CONFLICT_ATTEMPTS} writes in a row; the next pass tries again`,
    );
  }
  return live.version;
}
