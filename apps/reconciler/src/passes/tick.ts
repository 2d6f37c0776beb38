import { type BuildResult, HivekeepError, type Spec } from '@hivekeep/contracts';
import type { SourceClient } from '../source-client.ts';
import type { ApplicationEntry, Work } from '../work/application-entry.ts';
import { throwIfAborted, unlessAborted } from '../work/lane.ts';
import type { Pass } from './pass.ts';

export interface TickTools {
  readonly source: Pick<SourceClient, 'build'>;
  readonly pass: Pick<Pass, 'run'>;
  /** After each pass; ends its work. */
  passed(entry: ApplicationEntry, work: Work): void;
}

/**
 * Starts a pass of every application that nobody works on: one promise for each of `due`, in order. Each repository gets a call of its
 * own for all its applications, so that one which hangs keeps nobody else back.
 */
export function startTick(tools: TickTools, due: readonly ApplicationEntry[], until: AbortSignal): Promise<void>[] {
  const calls = new Map<string, Promise<ReadonlyMap<string, BuildResult>>>();
  const asked = due.map((entry) => ({ entry, spec: entry.spec }));
  for (const [repository, group] of Map.groupBy(asked, ({ spec }) => spec.source.repoURL)) {
    const call = build(tools, group, until);
    call.catch(() => undefined); // each application's result has the failure
    calls.set(repository, call);
  }
  return asked.map((each) => passOf(tools, each, calls.get(each.spec.source.repoURL), until));
}

/** An application with its declaration as it was when the build was asked for. */
interface Asked {
  readonly entry: ApplicationEntry;
  readonly spec: Spec;
}

function build(tools: TickTools, asked: readonly Asked[], until: AbortSignal): Promise<ReadonlyMap<string, BuildResult>> {
  const requests = asked.map(({ entry, spec }) => {
    const have = entry.plan?.built.provenance.commit;
    return { application: spec, ...(have !== undefined && { have }) };
  });
  return tools.source.build(requests, until);
}

async function passOf(
  { pass, passed }: TickTools,
  { entry, spec }: Asked,
  builds: Promise<ReadonlyMap<string, BuildResult>> | undefined,
  until: AbortSignal,
): Promise<void> {
  const work = entry.tryAcquire(until);
  if (!work) return;
  try {
    await pass.run(entry, work, { force: false, actor: '', build: { spec, result: await resultOf(entry, builds, work.signal) } });
  } catch (error) {
    if (!HivekeepError.is(error, 'cancelled', 'lease/deposed')) throw error;
  } finally {
    passed(entry, work);
  }
}

/** A failed build call is every application's own failure. One that is cancelled does not wait for the others' call. */
async function resultOf(
  entry: ApplicationEntry,
  builds: Promise<ReadonlyMap<string, BuildResult>> = Promise.resolve(new Map()),
  signal: AbortSignal,
): Promise<BuildResult> {
  try {
    const result = (await unlessAborted(builds, signal)).get(entry.name);
    return (
      result ?? {
        application: entry.name,
        error: { code: 'bus/invalid-message', message: 'the source left this application out of its answer' },
      }
    );
  } catch (error) {
    throwIfAborted(signal);
    return { application: entry.name, error: HivekeepError.from(error).toWire() };
  }
}
