import type { Path, Problems } from '../problems.ts';
import { type Dict, dict, isDict, type Value } from '../value.ts';
import { castAt } from './casts.ts';
import { substitute } from './substitute.ts';

export type Environment = Readonly<Record<string, string>>;

/** The document with every text value interpolated; keys stay. What cannot be is collected in `problems`. */
export function interpolate(document: Dict, env: Environment, problems: Problems): Dict {
  const out = dict();
  for (const [key, value] of Object.entries(document)) out[key] = interpolateValue(value, [key], env, problems);
  return out;
}

function interpolateValue(value: Value, path: Path, env: Environment, problems: Problems): Value {
  if (typeof value === 'string') return interpolateText(value, path, env, problems);
  if (Array.isArray(value)) return value.map((item, index) => interpolateValue(item, [...path, index], env, problems));
  if (!isDict(value)) return value;
  const out = dict();
  for (const [key, member] of Object.entries(value)) out[key] = interpolateValue(member, [...path, key], env, problems);
  return out;
}

function interpolateText(text: string, path: Path, env: Environment, problems: Problems): Value {
  const { text: replaced, unset, error } = substitute(text, env);
  if (error !== undefined) {
    problems.add(path, `cannot interpolate ${JSON.stringify(text)}: ${error}`);
    return replaced;
  }
  for (const name of unset) problems.warn('unset-variable', path, `the variable ${name} has no value and no default; it became empty`);
  if (replaced === text) return text;
  const target = castAt(path);
  if (!target) return replaced;
  const value = target.cast(replaced);
  if (value === undefined) problems.add(path, `expected ${target.type}, found ${JSON.stringify(replaced)} after interpolation`);
  return value ?? null;
}
