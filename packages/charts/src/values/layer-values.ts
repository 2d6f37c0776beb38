import { HivekeepError } from '@hivekeep/contracts';
import { decodeValues, type GoMap } from '@hivekeep/goyaml';
import { chartError, issuesOf } from '../problems.ts';
import { mergeValues } from './merge-values.ts';
import { applySet, applySetFile } from './set-values.ts';

export interface ValuesFile {
  /** Named in messages. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface ValuesInput {
  /** In order, a later one over an earlier. */
  readonly files?: readonly ValuesFile[];
  /** Expressions as of `--set`, over the files. */
  readonly set?: readonly string[];
  /** Contents as of `--set-file`, over all. */
  readonly setFiles?: readonly { readonly key: string; readonly content: string }[];
}

/**
 * The values a chart is rendered with: its defaults, each file, each `--set`, each `--set-file`. Throws `chart/invalid` with the
 * problems of all files, each named with its position, and `usage/invalid` for an expression.
 */
export function layerValues(defaults: GoMap, { files = [], set = [], setFiles = [] }: ValuesInput): GoMap {
  const layers = files.map((file, index) => readLayer(file, index + 1));
  const issues = layers.flatMap((layer) => ('issues' in layer ? layer.issues : []));
  if (issues.length > 0) throw chartError(issues);
  let values = defaults;
  for (const layer of layers) if ('values' in layer) values = mergeValues(values, layer.values);
  for (const expression of set) values = applySet(values, expression);
  for (const { key, content } of setFiles) values = applySetFile(values, key, content);
  return values;
}

function readLayer({ path, bytes }: ValuesFile, position: number): { values: GoMap } | { issues: ReturnType<typeof issuesOf> } {
  try {
    return { values: decodeValues(bytes, { file: path }) };
  } catch (error) {
    if (!HivekeepError.is(error, 'yaml/invalid')) throw error;
    return { issues: issuesOf(error, path).map((issue) => ({ ...issue, message: `values file ${position}: ${issue.message}` })) };
  }
}
