import { member } from '../value.ts';
import type { Environment } from './interpolate.ts';
import { VARIABLE_NAME } from './substitute.ts';

const NAME_AT = new RegExp(VARIABLE_NAME, 'y');
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
  let out = '';
  let refused = false;
  let overlooked = false;
  const lastBrace = text.lastIndexOf('}');
  let at = 0;
  for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', at)) {
    out += text.slice(at, dollar);
    const escaped = text[dollar + 1] === '$';
    const { reference, end } = escaped ? { reference: '', end: dollar + 2 } : referenceAt(text, dollar, lastBrace);
    at = end;
    if (escaped) {
      out += '$';
      continue;
    }
    const value = resolve(reference, env);
    if (value !== undefined && refused) overlooked = true;
    refused = value === undefined;
    out += value ?? '';
  }
  return { text: out + text.slice(at), refused, overlooked: overlooked && !refused };
}

/** The name with its rule, up to the next brace; empty, and one character long, where there is none. */
function referenceAt(text: string, dollar: number, lastBrace: number): { reference: string; end: number } {
  const braced = text[dollar + 1] === '{';
  const start = dollar + (braced ? 2 : 1);
  const none = { reference: '', end: dollar + 1 };
  NAME_AT.lastIndex = start;
  const name = NAME_AT.exec(text)?.[0];
  if (name === undefined) return none;
  const nameEnd = start + name.length;
  const ruled = /^:?[-?]/.test(text.slice(nameEnd, nameEnd + 2));
  if (!ruled && !braced) return { reference: name, end: nameEnd };
  if (!ruled) return text[nameEnd] === '}' ? { reference: name, end: nameEnd + 1 } : none;
  const close = lastBrace < nameEnd ? -1 : text.indexOf('}', nameEnd);
  if (close >= 0) return { reference: text.slice(start, close), end: braced ? close + 1 : close };
  return braced ? none : { reference: text.slice(start), end: text.length };
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
