import { HivekeepError } from '@hivekeep/contracts';
import type { GoMap, GoValue } from '@hivekeep/goyaml';
import { inferScalar } from './infer-scalar.ts';
import { copyValues } from './merge-values.ts';
import { parseValuePath, setAtPath } from './value-path.ts';

/** `values` with an expression such as `a.b=3,c={x,y}` applied. Throws `usage/invalid`, naming the part that is wrong. */
export function applySet(values: GoMap, expression: string): GoMap {
  const changed = copyValues(values);
  for (const part of splitOutsideBraces(expression)) {
    const { key, value } = cut(part, '--set');
    setAtPath(changed, parseValuePath(key), readValue(value));
  }
  return changed;
}

/** `values` with the content of a file set verbatim, as a text. `path` is a key as in `applySet`. Throws `usage/invalid`. */
export function applySetFile(values: GoMap, path: string, content: string): GoMap {
  const changed = copyValues(values);
  setAtPath(changed, parseValuePath(path), content);
  return changed;
}

/** The key and the path of `--set-file key=path`. Throws `usage/invalid` when one of them is missing. */
export function parseSetFile(argument: string): { readonly key: string; readonly path: string } {
  const { key, value } = cut(argument, '--set-file');
  if (key === '' || value === '') throw new HivekeepError('usage/invalid', `--set-file ${JSON.stringify(argument)}: expected key=path`);
  parseValuePath(key);
  return { key, path: value };
}

function cut(part: string, option: string): { key: string; value: string } {
  const equals = part.indexOf('=');
  if (equals < 0) throw new HivekeepError('usage/invalid', `${option} ${JSON.stringify(part)}: expected key=value, found no =`);
  return { key: part.slice(0, equals).trim(), value: part.slice(equals + 1).trim() };
}

function readValue(text: string): GoValue {
  if (!text.startsWith('{') || !text.endsWith('}')) return inferScalar(unescapeCommas(text));
  const inner = text.slice(1, -1);
  return inner.trim() === '' ? [] : splitAtCommas(inner).map((item) => inferScalar(unescapeCommas(item.trim())));
}

function unescapeCommas(text: string): string {
  return text.replaceAll('\\,', ',');
}

/** Parts between commas that are neither escaped nor in braces. */
function splitOutsideBraces(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const token of tokens(text)) {
    if (token === '{') depth += 1;
    if (token === '}') depth = Math.max(0, depth - 1);
    if (token === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

function splitAtCommas(text: string): string[] {
  const parts = [''];
  for (const token of tokens(text)) {
    if (token === ',') parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/** Characters, an escaped comma being one. */
function tokens(text: string): string[] {
  return text.match(/\\,|./gsu) ?? [];
}
