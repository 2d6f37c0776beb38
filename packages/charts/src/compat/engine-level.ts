import { checkConstraint, reducedVersion } from './versions.ts';

/** The level of the format that is built here: what charts may ask for by `swarmcliVersion`. */
export const ENGINE_LEVEL = '2.1.1';

/** Of a constraint in `Chart.yaml`. */
const MAX_CONSTRAINT_BYTES = 256;

/** Whether a chart may be deployed by an engine. `unknown` never stops anything; its reason is told where there is one. */
export type Compat =
  | { readonly status: 'ok' | 'incompatible'; readonly required: string; readonly engine: string }
  | { readonly status: 'unknown'; readonly required?: string; readonly engine?: string; readonly reason?: string };

/** Judges `swarmcliVersion` against the version of an engine, of which major, minor and patch count alone. */
export function judgeCompat(required: string | undefined, engine: string): Compat {
  if (required === undefined || required.trim() === '') return { status: 'unknown' };
  if (Buffer.byteLength(required) > MAX_CONSTRAINT_BYTES)
    return { status: 'unknown', reason: `swarmcliVersion has more than ${MAX_CONSTRAINT_BYTES} bytes` };
  const version = reducedVersion(engine);
  if (version === undefined) return { status: 'unknown', required, reason: 'the version of the engine is not known' };
  const satisfied = checkConstraint(required, version);
  if (satisfied === undefined)
    return { status: 'unknown', required, engine: version, reason: 'swarmcliVersion is no constraint of versions' };
  return { status: satisfied ? 'ok' : 'incompatible', required, engine: version };
}
