import { HivekeepError } from '@hivekeep/contracts';
import { GoMap, type GoValue } from '@hivekeep/goyaml';

/** A step on the way to a value: a key, or a position in a list. */
export type PathStep = string | number;

/** Positions are padded with nulls up to theirs. */
const MAX_INDEX = 65_535;
const MAX_STEPS = 100;

/** Reads `a.b[0].c`. Throws `usage/invalid`, naming the path. */
export function parseValuePath(text: string): PathStep[] {
  if (text === '') throw invalid(text, 'the key is empty');
  const steps = text.split('.').flatMap((segment) => parseSegment(segment, text));
  if (steps.length > MAX_STEPS) throw invalid(text, `it has more than ${MAX_STEPS} steps`);
  return steps;
}

function parseSegment(segment: string, path: string): PathStep[] {
  if (segment === '') throw invalid(path, 'a part between two points is empty');
  const match = /^([^[\]]*)((?:\[[^[\]]*\])*)$/.exec(segment);
  if (match === null) throw invalid(path, `the brackets of ${JSON.stringify(segment)} do not fit`);
  const [, name = '', positions = ''] = match;
  if (name === '') throw invalid(path, `a name is missing before ${JSON.stringify(positions)}`);
  const indexes = [...positions.matchAll(/\[([^\]]*)\]/g)].map(([, index = '']) => {
    if (!/^\+?\d+$/.test(index)) throw invalid(path, `${JSON.stringify(index)} is no position in a list; expected 0, 1, …`);
    if (Number(index) > MAX_INDEX) throw invalid(path, `a position is at most ${MAX_INDEX}`);
    return Number(index);
  });
  return [name, ...indexes];
}

/** Sets a value in place; lists grow, padded with nulls, and whatever has another shape on the way is replaced. */
export function setAtPath(root: GoMap, steps: readonly PathStep[], value: GoValue): void {
  let at: GoMap | GoValue[] = root;
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1];
    if (next === undefined) put(at, step, value);
    else at = descend(at, step, typeof next === 'number');
  }
}

/** The value at a path; undefined when there is none. */
export function valueAtPath(root: GoMap, steps: readonly PathStep[]): GoValue | undefined {
  let at: GoValue | undefined = root;
  for (const step of steps) {
    if (typeof step === 'number') at = Array.isArray(at) ? at[step] : undefined;
    else at = at instanceof GoMap ? at.get(step) : undefined;
  }
  return at;
}

function descend(at: GoMap | GoValue[], step: PathStep, wantsList: boolean): GoMap | GoValue[] {
  const found = at instanceof GoMap ? at.get(String(step)) : at[Number(step)];
  if (wantsList ? Array.isArray(found) : found instanceof GoMap && !found.anyKeys) return found as GoMap | GoValue[]; // just tested
  const made = wantsList ? [] : new GoMap();
  put(at, step, made);
  return made;
}

function put(at: GoMap | GoValue[], step: PathStep, value: GoValue): void {
  if (at instanceof GoMap) {
    at.set(String(step), value);
    return;
  }
  const position = Number(step);
  while (at.length < position) at.push(null);
  at[position] = value;
}

function invalid(path: string, why: string): HivekeepError {
  return new HivekeepError('usage/invalid', `${JSON.stringify(path)} is no path to a value: ${why}`);
}
