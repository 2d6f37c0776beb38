import { member } from '../value.ts';
import type { Environment } from './interpolate.ts';
import { VARIABLE_NAME } from './substitute.ts';

const NAME_AND_RULE = `${VARIABLE_NAME}(?::?[-?][^}]*)?`;
const REFERENCE = new RegExp(`\\$(?:(\\$)|(${NAME_AND_RULE})|\\{(${NAME_AND_RULE})\\}|)`, 'g');
/** In the order in which they are tried, wherever they stand in the reference. */
const RULES = [
  { separator: ':-', emptyCounts: true },
  { separator: '-', emptyCounts: false },
  { separator: ':?', emptyCounts: true },
  { separator: '?', emptyCounts: false },
];

export interface CliSubstitution {
  readonly text: string;
  readonly refused: boolean;
  /** A wrong reference was overlooked, because a right one follows it. */
  readonly overlooked: boolean;
}

/**
 * What the docker CLI makes of a text: a default may follow a name without braces, no nesting, the rules are tried one after
 * the other on the whole reference, and only the last reference decides whether the text is refused.
 */
export function substituteLikeCli(text: string, env: Environment): CliSubstitution {
  let refused = false;
  let overlooked = false;
  const replaced = text.replace(REFERENCE, (_match, escaped?: string, named?: string, braced?: string) => {
    if (escaped) return '$';
    const value = resolve(named ?? braced ?? '', env);
    if (value !== undefined && refused) overlooked = true;
    refused = value === undefined;
    return value ?? '';
  });
  return { text: replaced, refused, overlooked: overlooked && !refused };
}

/** Undefined when the reference refuses the text. */
function resolve(reference: string, env: Environment): string | undefined {
  if (reference === '') return undefined;
  for (const { separator, emptyCounts } of RULES) {
    const at = reference.indexOf(separator);
    if (at < 0) continue;
    const value = member(env, reference.slice(0, at));
    if (value !== undefined && !(emptyCounts && value === '')) return value;
    return separator.endsWith('-') ? reference.slice(at + separator.length) : undefined;
  }
  return member(env, reference) ?? '';
}
