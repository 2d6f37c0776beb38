import { HivekeepError, type Warning } from '@hivekeep/contracts';
import type { FileReader, LoadInput } from './api.ts';
import { convertModel } from './convert/convert-model.ts';
import { applyExternals, type Externals, type SentObjects } from './convert/externals.ts';
import { scopedName } from './convert/scope.ts';
import type { DeviationId, Quirks } from './deviations.ts';
import { reportMistakes } from './lint/report-mistakes.ts';
import { loadModel } from './load/load-model.ts';
import type { FileObject } from './model.ts';
import { composeError, nowhere, Problems } from './problems.ts';
import { resultPaths } from './result-diff.ts';
import { record } from './value.ts';

export interface ConvertCaseInput {
  readonly reader: FileReader;
  /** Paths for the reader, merged in this order. */
  readonly files: readonly string[];
  /** Absolute folder that relative bind sources start at. */
  readonly workingDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stack: string;
  /** What the swarm has already; empty by default. */
  readonly externals?: Externals;
  readonly dialect: LoadInput['dialect'];
}

/** A deviation from the docker CLI that applies, and the paths of the result at which it makes a difference. */
export interface Deviation {
  readonly id: DeviationId;
  readonly paths: readonly string[];
}

/**
 * What `compose convert` prints: the bodies the docker CLI would send, or why it would not. Deviations are there when some
 * apply.
 */
export type ConvertCaseResult = ((SentObjects & { readonly warnings: readonly Warning[] }) | { readonly error: HivekeepError }) & {
  readonly deviations?: readonly Deviation[];
};

/**
 * Converts compose files as `docker stack deploy --resolve-image never` would send them: no policy, no rotation of names,
 * contents as data. Integers beyond 2^53 are bigints; print the objects with `exactJson`. An error that concerns the input
 * is a result; anything else is thrown.
 */
export async function convertCase(input: ConvertCaseInput): Promise<ConvertCaseResult> {
  const remembering = { ...input, reader: rememberReads(input.reader) };
  const ours = await attempt(remembering, new Set());
  const found = await findDeviations(remembering, ours, ours.deviating);
  const deviations = found.length > 0 ? { deviations: found } : {};
  return 'error' in ours ? { error: ours.error, ...deviations } : { ...ours.objects, warnings: ours.warnings, ...deviations };
}

interface Attempt {
  readonly deviating: ReadonlySet<DeviationId>;
}
type Outcome = ({ readonly objects: SentObjects; readonly warnings: readonly Warning[] } | { readonly error: HivekeepError }) & Attempt;

async function attempt(input: ConvertCaseInput, quirks: Quirks): Promise<Outcome> {
  const problems = new Problems(nowhere, quirks);
  try {
    return { objects: await convert(input, problems), warnings: problems.warnings, deviating: problems.deviating };
  } catch (error) {
    if (HivekeepError.is(error, 'compose/invalid', 'compose/unsupported')) return { error, deviating: problems.deviating };
    throw error;
  }
}

async function convert(input: ConvertCaseInput, collected: Problems): Promise<SentObjects> {
  if (/^[\s'"]*$/.test(input.stack)) throw composeError([{ message: `expected a stack name, found ${JSON.stringify(input.stack)}` }]);
  const { model, configs, secrets, problems } = await loadModel({ ...input, problems: collected });
  const contents = {
    configs: encode(input.stack, configs, model.configs),
    secrets: encode(input.stack, secrets, model.secrets),
  };
  reportMistakes(model, problems);
  problems.refuse();
  return applyExternals(input.stack, convertModel({ stack: input.stack, model, contents, problems }), input.externals ?? {});
}

/** Converts again with each deviation off, and with all off, to see what it changes. One without a difference is left out. */
async function findDeviations(input: ConvertCaseInput, ours: Outcome, ids: ReadonlySet<DeviationId>): Promise<Deviation[]> {
  const found = new Map<DeviationId, string[]>();
  for (const id of ids) found.set(id, differences(ours, await attempt(input, new Set([id]))));
  if (ids.size > 1) {
    const [first] = ids;
    const known = [...found.values()].flat();
    const together = differences(ours, await attempt(input, ids)).filter((path) => !known.includes(path));
    if (first) found.set(first, [...(found.get(first) ?? []), ...together]);
  }
  return [...found].flatMap(([id, paths]) => (paths.length > 0 ? [{ id, paths }] : []));
}

function differences(ours: Outcome, theirs: Outcome): string[] {
  if ('error' in ours && 'error' in theirs) return [];
  return 'error' in ours || 'error' in theirs ? ['outcome'] : resultPaths(ours.objects, theirs.objects);
}

function rememberReads(reader: FileReader): FileReader {
  const reads = new Map<string, Promise<Uint8Array>>();
  const read = (path: string) => {
    const known = reads.get(path) ?? reader.read(path);
    reads.set(path, known);
    return known;
  };
  return { read };
}

/** Contents by object name, base64. */
function encode(stack: string, contents: ReadonlyMap<string, Uint8Array>, objects: Record<string, FileObject>): Record<string, string> {
  return record([...contents].map(([key, bytes]) => [scopedName(stack, key, objects[key]?.name), Buffer.from(bytes).toString('base64')]));
}
