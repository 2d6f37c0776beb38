import { type ConvertCaseInput, convertCase, type Deviation, readBatchCase, type SentObjects, type ServiceSpec } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import { compareDrift, driftContext, indexSnapshot, specChanges } from '@hivekeep/planner';
import { type DockerSwarm, takeSnapshot } from '@hivekeep/swarm';
import { compareResult, type RecordedCase } from '@hivekeep/test-conformance';
import { type LiveStack, withNames } from './live-stack.ts';
import { type StackDeploy, stackDeploy } from './stack-deploy.ts';

/** What became of one case on a real engine. A text says what is wrong. */
export interface Trip {
  readonly name: string;
  /** Whether the engine took what we sent. */
  readonly taken: boolean;
  /** Why the engine refused it. */
  readonly refusal?: string;
  /** What a second plan would write. */
  readonly changes: readonly string[];
  /** What is reported as drift. */
  readonly drift: readonly string[];
  /** Where the services differ from those of `docker stack deploy`. */
  readonly differences: readonly string[];
}

export interface TripOptions {
  readonly swarm: DockerSwarm;
  readonly stack: LiveStack;
  /** The CLI's half; without it there is nothing to compare with. */
  readonly deploy: StackDeploy | undefined;
  /** A folder for the files of cases. */
  readonly folder: string;
}

/** Tasks are made for every replica although none is started. */
const MAX_REPLICAS = 100;

type Live = Awaited<ReturnType<LiveStack['read']>>;
type Half = Live | { readonly refusal: string };

/** Creates a case by us, reads it back, and does so again by the docker CLI. Undefined when the case is none for an engine. */
export async function roundTrip(recorded: RecordedCase, options: TripOptions): Promise<Trip | undefined> {
  const { stack, deploy } = options;
  const batch = await recorded.place(options.folder);
  const input = { ...(await readBatchCase(batch)), stack: stack.name };
  const result = await convertCase(input);
  if ('error' in result || input.externals?.services || !isForEngine(result)) return undefined;
  try {
    const ours = await half(input, stack, () => stack.create(result));
    const kept = 'refusal' in ours ? { changes: [], drift: [] } : await compareWithWanted(result, ours, options.swarm);
    const differences: string[] = [];
    if (deploy) {
      await stack.remove();
      const theirs = await half(input, stack, () => stackDeploy(deploy, input, batch.folder));
      differences.push(...compareHalves(ours, theirs, result.deviations));
    }
    return { name: recorded.name, taken: !('refusal' in ours), ...('refusal' in ours && ours), ...kept, differences };
  } finally {
    await stack.remove();
  }
}

/** Numbers that are sent as they are, tasks that an engine can hold, and no plugin, for which an engine would wait. */
function isForEngine({ services, secrets }: SentObjects): boolean {
  const replicas = services.map(({ Mode }) => Mode.Replicated?.Replicas ?? Mode.ReplicatedJob?.TotalCompletions ?? 1);
  const driven = secrets.some(({ Driver }) => Driver);
  return !driven && !hasBigint(services) && replicas.reduce((sum, count) => sum + count, 0) <= MAX_REPLICAS;
}

function hasBigint(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'object' && value !== null && Object.values(value).some(hasBigint));
}

async function half(input: ConvertCaseInput, stack: LiveStack, create: () => Promise<void>): Promise<Half> {
  await stack.createExternals(input.externals ?? {});
  try {
    await create();
  } catch (error) {
    return { refusal: (error as Error).message };
  }
  return stack.read();
}

/** What a second plan of services would write, and what is reported as drift, after they were created. */
export async function compareWithWanted(
  { services: wanted }: SentObjects,
  { services: live }: Live,
  swarm: DockerSwarm,
): Promise<Pick<Trip, 'changes' | 'drift'>> {
  const apiVersion = await swarm.apiVersion();
  const index = indexSnapshot(await takeSnapshot(swarm, { withTasks: false, now: 0 }));
  const changes = wanted.flatMap((service) => {
    const found = live.find(({ spec }) => spec.Name === service.Name);
    if (!found) throw new HivekeepError('internal', `the service ${service.Name} was created and cannot be read`);
    return specChanges(service, found.spec, { ...index, apiVersion }).fields;
  });
  const drift = compareDrift(wanted, live, driftContext(index, apiVersion));
  const fields = drift.services.flatMap(({ name, reason, fields: found }) =>
    found.length > 0 ? found.map(({ field }) => field) : [`${name}: ${reason}`],
  );
  return { changes, drift: fields };
}

function compareHalves(ours: Half, theirs: Half, deviations: readonly Deviation[] | undefined): string[] {
  if ('refusal' in ours && 'refusal' in theirs) return [];
  if ('refusal' in ours) return [`only we were refused: ${ours.refusal}`];
  if ('refusal' in theirs) return [`only docker was refused: ${theirs.refusal}`];
  const verdict = compareResult(plain(theirs), { ...plain(ours), ...(deviations && { deviations }) });
  return verdict.equal ? [] : [...verdict.paths];
}

function plain({ services, names }: Live): { services: ServiceSpec[] } {
  return { services: services.map(({ spec }) => withNames(spec, names)) };
}
