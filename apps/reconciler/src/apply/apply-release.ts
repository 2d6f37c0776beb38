import { encodeRecord, type ReleaseRecord, recordName } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import { type ReleasePlan, resolveReferences, type Step, type WrittenService } from '@hivekeep/planner';
import { Slots } from '@hivekeep/runtime';
import type { IntentStore, RecordStore } from '@hivekeep/swarm';
import type { Daemon } from '../daemon.ts';
import type { World } from '../world.ts';
import { writeService } from './write-service.ts';

/** How many writes of one release are under way at once. */
const PARALLEL_WRITES = 6;
/** How often a taken revision number is followed by the next one. */
const REVISION_ATTEMPTS = 6;

export interface ApplyTools {
  readonly daemon: Daemon;
  readonly records: RecordStore<ReleaseRecord>;
  readonly intents: IntentStore;
  readonly now: () => Date;
  /** The X-Registry-Auth value for an image of the application; undefined for an anonymous pull. */
  registryAuth(image: string): Promise<string | undefined>;
  /** Told of each service whose spec somebody else changed between the plan and the write. */
  outOfBand(service: string): void;
  /** Waits until what was written has converged; throws `rollout/*`. */
  awaitWritten(written: readonly WrittenService[]): Promise<void>;
}

export interface ReleaseChange {
  readonly application: string;
  readonly owner: string;
  readonly plan: ReleasePlan;
  /** The wave of each service that is declared, by scoped name. */
  readonly waves: Readonly<Record<string, number>>;
  /** What the plan was made from. */
  readonly world: World;
  /** The record to store, but for its revision and time. */
  readonly record: Omit<ReleaseRecord, 'revision' | 'created'>;
  /** Contents of the secrets to be made, base64 by name; fetched before the first write. */
  readonly secretContents: ReadonlyMap<string, string>;
}

/**
 * Writes one release: intent, networks, secrets and configs, services by wave, record; then takes the intent back. Whatever
 * step it dies at, the intent names the revision, and the next pass goes on from what the swarm has. Throws with nothing
 * recorded when a write fails; what was written stays, and the next plan finds it equal.
 * @returns what was written and the revision that was recorded
 */
export async function applyRelease(
  tools: ApplyTools,
  change: ReleaseChange,
  signal: AbortSignal,
): Promise<{ revision: number; written: WrittenService[] }> {
  const intent = await createIntent(tools, change, signal);
  const ids = knownIds(change);
  await inParallel(ofKind(change.plan, 'network'), (step) => writeObject(tools, change, step, ids, signal));
  await inParallel([...ofKind(change.plan, 'secret'), ...ofKind(change.plan, 'config')], (step) =>
    writeObject(tools, change, step, ids, signal),
  );
  const begun = begunServices(change);
  const written: WrittenService[] = [];
  let last: WrittenService[] = [];
  for (const [wave, steps] of serviceWaves(change.plan)) {
    await tools.awaitWritten([...last, ...begun.filter((service) => service.wave < wave)]);
    last = await writeWave(tools, steps, ids, signal);
    written.push(...last);
  }
  const { revision } = await storeRecord(tools, change, intent.revision, signal);
  await tools.daemon.tracked(() => tools.intents.remove(intent.id, { signal }));
  await settleIntents(tools, change, signal);
  return { revision, written };
}

/** Deletes the left-over intents that a plan settles: it was carried out, or found everything equal. */
export async function settleIntents(
  tools: Pick<ApplyTools, 'intents' | 'daemon'>,
  change: Pick<ReleaseChange, 'plan' | 'world'>,
  signal: AbortSignal,
): Promise<void> {
  const settles = new Set(change.plan.settles ?? []);
  for (const intent of change.world.intents.get(change.plan.release) ?? []) {
    if (settles.has(intent.name)) await tools.daemon.tracked(() => tools.intents.remove(intent.id, { signal }));
  }
}

async function createIntent(tools: ApplyTools, change: ReleaseChange, signal: AbortSignal): Promise<{ id: string; revision: number }> {
  const { release, steps } = change.plan;
  const taken = [
    ...(change.world.records.get(release) ?? []).map((kept) => kept.record.revision),
    ...(change.world.intents.get(release) ?? []).map((intent) => intent.revision),
  ];
  const first = Math.max(0, ...taken) + 1;
  const named = (kind: Step['kind']): string[] => steps.filter((step) => step.kind === kind).map((step) => step.name);
  const names = { services: named('service'), networks: named('network'), configs: named('config'), secrets: named('secret') };
  for (let revision = first; ; revision += 1) {
    tools.daemon.gate.check(signal);
    try {
      const intent = { release, revision, owner: change.owner, application: change.application, epoch: tools.daemon.gate.epoch, names };
      return { id: await tools.daemon.tracked(() => tools.intents.create(intent, { signal })), revision };
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/exists') || revision - first + 1 >= REVISION_ATTEMPTS) throw error;
      await tools.daemon.gate.renew(signal);
    }
  }
}

/** Ids by `config/<name>`, `secret/<name>` and `network/<name>`, as the plan's look saw them. */
function knownIds({ world, plan }: ReleaseChange): Map<string, string> {
  const ids = new Map<string, string>();
  for (const step of plan.steps) {
    if (step.kind !== 'service') continue;
    const container = step.spec.TaskTemplate.ContainerSpec;
    for (const { ConfigName } of container?.Configs ?? [])
      ids.set(`config/${ConfigName}`, world.index.configByName.get(ConfigName)?.id ?? '');
    for (const { SecretName } of container?.Secrets ?? [])
      ids.set(`secret/${SecretName}`, world.index.secretByName.get(SecretName)?.id ?? '');
  }
  for (const [key, id] of ids) if (id === '') ids.delete(key);
  return ids;
}

function ofKind<K extends Step['kind']>(plan: ReleasePlan, kind: K): Extract<Step, { kind: K }>[] {
  return plan.steps.filter((step): step is Extract<Step, { kind: K }> => step.kind === kind);
}

type ObjectStep = Exclude<Step, { kind: 'service' }>;

async function writeObject(
  tools: ApplyTools,
  change: ReleaseChange,
  step: ObjectStep,
  ids: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  if (step.action === 'relabel') return tools.daemon.relabel(step.kind, step, { ...step.labels }, signal);
  ids.set(`${step.kind}/${step.name}`, await createObject(tools, change, step, signal));
}

function createObject(
  tools: ApplyTools,
  change: ReleaseChange,
  step: Extract<ObjectStep, { action: 'create' }>,
  signal: AbortSignal,
): Promise<string> {
  if (step.kind === 'network') return createNetwork(tools, step, signal);
  if (step.kind === 'config') return tools.daemon.createConfig(step.spec, signal);
  if (!step.needsContent) return tools.daemon.createSecret(step.spec, signal);
  const content = change.secretContents.get(step.name);
  if (content === undefined)
    throw new HivekeepError('artifact/missing', `the content of secret '${step.name}' is not at hand; the next pass asks the source again`);
  return tools.daemon.createSecret({ ...step.spec, Data: content }, signal);
}

/** Several releases may ask for one external network in the same pass: the first of them makes it. */
async function createNetwork(tools: ApplyTools, step: Extract<Step, { kind: 'network' }>, signal: AbortSignal): Promise<string> {
  try {
    return await tools.daemon.createNetwork(step.spec, signal);
  } catch (error) {
    if (!step.managed || !HivekeepError.is(error, 'swarm/exists')) throw error;
    return step.name;
  }
}

type ServiceStep = Extract<Step, { kind: 'service' }>;

function serviceWaves(plan: ReleasePlan): [number, ServiceStep[]][] {
  const waves = Map.groupBy(ofKind(plan, 'service'), (step) => step.wave);
  return [...waves].sort(([a], [b]) => a - b);
}

/** Services that an unfinished revision may have written and the plan finds equal: their wave was never seen to converge. */
function begunServices({ plan, waves, world }: ReleaseChange): (WrittenService & { readonly wave: number })[] {
  const recorded = world.records.get(plan.release)?.[0]?.record.revision ?? 0;
  const open = (world.intents.get(plan.release) ?? []).filter(({ revision }) => revision > recorded);
  const written = new Set(ofKind(plan, 'service').map(({ name }) => name));
  const names = new Set(open.flatMap((intent) => intent.names.services).filter((name) => !written.has(name)));
  return [...names].flatMap((name) => {
    const live = world.index.serviceByName.get(name);
    const wave = waves[name];
    return live && wave !== undefined ? [{ serviceId: live.id, name, wave, templateChanged: false }] : [];
  });
}

async function writeWave(
  tools: ApplyTools,
  wave: readonly ServiceStep[],
  ids: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<WrittenService[]> {
  const written: WrittenService[] = [];
  await inParallel(wave, async (step) => {
    const spec = resolveReferences(step.spec, ids);
    const auth = await tools.registryAuth(spec.TaskTemplate.ContainerSpec?.Image ?? '');
    written.push(await writeService(tools, { ...step, spec }, auth, signal));
  });
  return written;
}

async function storeRecord(
  tools: ApplyTools,
  change: ReleaseChange,
  revision: number,
  signal: AbortSignal,
): Promise<{ id: string; revision: number }> {
  const created = `${tools.now().toISOString().slice(0, 19)}Z`;
  tools.daemon.gate.check(signal);
  return tools.daemon.record(recordName(change.plan.release, revision), 'create', undefined, () =>
    tools.records.create(
      {
        revision,
        encode: (number) => encodeRecord({ ...change.record, revision: number, created }),
        beforeRetry: () => tools.daemon.gate.renew(signal),
      },
      { signal },
    ),
  );
}

/** Runs all with bounded parallelism; after the first failure nothing new is begun, and it is thrown when the rest has ended. */
async function inParallel<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const slots = new Slots(PARALLEL_WRITES);
  let failure: { readonly error: unknown } | undefined;
  const guarded = async (item: T): Promise<void> => {
    if (failure) return;
    try {
      await task(item);
    } catch (error) {
      failure ??= { error };
    }
  };
  await Promise.all(items.map((item) => slots.run(() => guarded(item))));
  if (failure) throw failure.error;
}
