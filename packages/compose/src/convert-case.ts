import { HivekeepError, type Warning } from '@hivekeep/contracts';
import type { FileReader, LoadInput } from './api.ts';
import { convertModel } from './convert/convert-model.ts';
import { applyExternals, type Externals } from './convert/externals.ts';
import { scopedName } from './convert/scope.ts';
import type { ConfigSpec, NetworkCreate, SecretSpec, ServiceSpec } from './engine.ts';
import { loadModel } from './load/load-model.ts';
import { refuseDialect } from './load-compose.ts';
import type { FileObject } from './model.ts';
import { composeError } from './problems.ts';
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

export interface Deviation {
  readonly id: string;
  readonly paths: readonly string[];
}

/** What `compose convert` prints: the bodies the docker CLI would send, or why it would not. */
export type ConvertCaseResult =
  | {
      readonly networks: NetworkCreate[];
      readonly secrets: SecretSpec[];
      readonly configs: ConfigSpec[];
      readonly services: ServiceSpec[];
      readonly deviations?: readonly Deviation[];
      readonly warnings: readonly Warning[];
    }
  | { readonly error: HivekeepError };

/**
 * Converts compose files as `docker stack deploy --resolve-image never` would send them: no policy, no rotation of names,
 * contents as data. Integers beyond 2^53 are bigints; print the result with `exactJson`. An error that concerns the input
 * is a result; anything else is thrown.
 */
export async function convertCase(input: ConvertCaseInput): Promise<ConvertCaseResult> {
  try {
    return await convert(input);
  } catch (error) {
    if (HivekeepError.is(error, 'compose/invalid', 'compose/unsupported')) return { error };
    throw error;
  }
}

async function convert(input: ConvertCaseInput): Promise<ConvertCaseResult> {
  refuseDialect(input.dialect);
  if (/^[\s'"]*$/.test(input.stack)) throw composeError([{ message: `expected a stack name, found ${JSON.stringify(input.stack)}` }]);
  const { model, configs, secrets, warnings } = await loadModel(input);
  const contents = {
    configs: encode(input.stack, configs, model.configs),
    secrets: encode(input.stack, secrets, model.secrets),
  };
  const converted = convertModel({ stack: input.stack, model, contents });
  const objects = applyExternals(input.stack, converted.objects, input.externals ?? {});
  return { ...objects, warnings: [...warnings, ...converted.warnings] };
}

/** Contents by object name, base64. */
function encode(stack: string, contents: ReadonlyMap<string, Uint8Array>, objects: Record<string, FileObject>): Record<string, string> {
  return record([...contents].map(([key, bytes]) => [scopedName(stack, key, objects[key]?.name), Buffer.from(bytes).toString('base64')]));
}
