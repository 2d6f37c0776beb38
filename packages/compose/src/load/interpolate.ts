import type { DeviationId } from '../deviations.ts';
import type { Path, Problems } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { type Dict, dict, isDict, type Value } from '../value.ts';
import { castAt } from './casts.ts';
import { substitute, VARIABLE_NAME } from './substitute.ts';
import { substituteLikeCli } from './substitute-like-cli.ts';

export type Environment = Readonly<Record<string, string>>;

/** Gives a text with its references replaced; undefined when that cannot be, which it says. */
type Substitute = (text: string, path: Path) => string | undefined;

/** The document with every text value interpolated; keys stay. What cannot be is collected in `problems`. */
export function interpolate(document: Dict, env: Environment, problems: Problems): Dict {
  return interpolateMembers(document, [], (text, path) => substituteText(text, path, env, problems), problems);
}

/** As `interpolate`, by the compose specification; a variable without a value and a default is a problem. */
export function interpolateSpec(document: Dict, env: Environment, problems: Problems): Dict {
  const substituteSpec: Substitute = (text, path) => {
    const { text: replaced, unset, error } = substitute(text, env, 'spec');
    for (const name of isRead(path) ? unset : []) problems.add(path, `the variable ${name} has no value; ${declareIt(name)}`);
    if (error !== undefined) problems.add(path, `cannot interpolate ${describeValue(text)}: ${error}`);
    return error === undefined ? replaced : undefined;
  };
  return interpolateMembers(document, [], substituteSpec, problems);
}

function interpolateMembers(from: Dict, path: Path, replace: Substitute, problems: Problems): Dict {
  const out = dict();
  for (const [key, value] of Object.entries(from)) out[key] = interpolateValue(value, [...path, key], replace, problems);
  return out;
}

function interpolateValue(value: Value, path: Path, replace: Substitute, problems: Problems): Value {
  if (typeof value === 'string') return interpolateText(value, path, replace, problems);
  if (Array.isArray(value)) return value.map((item, index) => interpolateValue(item, [...path, index], replace, problems));
  return isDict(value) ? interpolateMembers(value, path, replace, problems) : value;
}

function interpolateText(text: string, path: Path, replace: Substitute, problems: Problems): Value {
  if (!text.includes('$')) return text;
  const replaced = replace(text, path);
  if (replaced === undefined || replaced === text) return text;
  // The docker CLI writes paths with dots and reads them so, which a name with a dot confuses.
  const target = castAt(path.flatMap((part): Path => (typeof part === 'string' ? part.split('.') : [part])));
  if (!target) return replaced;
  const value = target.cast(replaced);
  if (value === undefined)
    problems.add(path, `expected ${target.type}, found something else after the interpolation of ${describeValue(text)}`);
  return value ?? null;
}

/** Undefined when the text cannot be interpolated, which is said. */
function substituteText(text: string, path: Path, env: Environment, problems: Problems): string | undefined {
  const { text: ours, unset, error } = substitute(text, env);
  const theirs = substituteLikeCli(text, env);
  const differs = theirs.refused !== (error !== undefined) || (!theirs.refused && theirs.text !== ours);
  const followed = differs && problems.deviate(deviationOf(text, theirs.overlooked), path);
  if (followed && !theirs.refused) return theirs.text;
  if (followed || error !== undefined) {
    problems.add(path, `cannot interpolate ${describeValue(text)}: ${error ?? 'a required variable is missing'}`);
    return undefined;
  }
  for (const name of isRead(path) ? unset : [])
    problems.warn('unset-variable', path, `the variable ${name} has no value and no default; it became empty: ${declareIt(name)}`);
  return ours;
}

function declareIt(name: string): string {
  return `declare it, or give it a default, which may be empty: \${${name}:-}`;
}

/** Extensions count where they are used, and how an image is built counts nowhere. */
function isRead([section, , key = '']: Path): boolean {
  return ![section, key].some((name) => String(name).startsWith('x-')) && !(section === 'services' && key === 'build');
}

function deviationOf(text: string, overlooked: boolean): DeviationId {
  if (overlooked) return 'interpolation-error-lost';
  if (/\$\{[^}]*\$/.test(text)) return 'interpolation-nested';
  return UNBRACED_RULE.test(text) ? 'interpolation-unbraced' : 'interpolation-operator';
}

const UNBRACED_RULE = new RegExp(`\\$${VARIABLE_NAME}:?[-?]`);
