import { member } from '../value.ts';
import type { Environment } from './interpolate.ts';

export interface Substitution {
  readonly text: string;
  /** Variables that have no value and no default; they became empty. */
  readonly unset: readonly string[];
  /** Why the text cannot be interpolated. */
  readonly error?: string;
}

/** Letters as the docker CLI matches them: without regard to case, so that the long s and the Kelvin sign are letters too. */
export const VARIABLE_NAME = '[_a-zA-Z\\u017F\\u212A][_a-zA-Z0-9\\u017F\\u212A]*';

const NAME_AT = new RegExp(VARIABLE_NAME, 'y');
const OPERATORS = { docker: /:-|-|:\?|\?/y, spec: /:-|-|:\?|\?|:\+|\+/y };
const MAX_NESTING = 20;
const FORMS = 'expected $V or a name in braces with :-default, -default, :?message or ?message behind it; write $$ for a dollar';

/**
 * Replaces `$V`, `${V}`, `${V:-default}`, `${V-default}`, `${V:?message}` and `${V?message}`; `$$` is one dollar. References
 * in braces in a default are replaced too. The dialect `spec` has `${V:+text}` and `${V+text}` besides, and reads a default as
 * it reads the rest. Source: compose specification, interpolation.
 */
export function substitute(text: string, env: Environment, dialect: 'docker' | 'spec' = 'docker'): Substitution {
  if (!text.includes('$')) return { text, unset: [] };
  const scan = new Scan(env, dialect);
  const replaced = scan.replace(text, 0);
  return { text: replaced, unset: scan.unset, ...(scan.error !== undefined && { error: scan.error }) };
}

interface Reference {
  readonly name: string;
  readonly operator?: string;
  /** The default or message. */
  readonly rest: string;
  readonly end: number;
}

class Scan {
  readonly unset: string[] = [];
  error: string | undefined;
  readonly #env: Environment;
  readonly #dialect: 'docker' | 'spec';

  constructor(env: Environment, dialect: 'docker' | 'spec') {
    this.#env = env;
    this.#dialect = dialect;
  }

  /**
   * In a default, at a depth of 1 and more, only references in braces count for `docker`: hashes and the like are full of
   * dollars.
   */
  replace(text: string, depth: number): string {
    let out = '';
    // Looked for once: a text without one would be searched to its end at every dollar.
    const lastBrace = text.lastIndexOf('}');
    let at = 0;
    for (let dollar = text.indexOf('$'); dollar >= 0; dollar = text.indexOf('$', at)) {
      out += text.slice(at, dollar);
      const escaped = text[dollar + 1] === '$';
      const plain = depth === 0 || this.#dialect === 'spec';
      const readable = !escaped && (plain || text[dollar + 1] === '{');
      const reference = readable ? referenceAt(text, dollar, lastBrace, OPERATORS[this.#dialect]) : undefined;
      if (reference) out += this.#value(reference, depth);
      else if (!plain) out += escaped ? '$$' : '$';
      else if (escaped) out += '$';
      else this.error ??= FORMS;
      at = reference ? reference.end : dollar + (escaped ? 2 : 1);
    }
    return out + text.slice(at);
  }

  #value({ name, operator = '', rest }: Reference, depth: number): string {
    const value = member(this.#env, name);
    const given = value !== undefined && !(operator.startsWith(':') && value === '');
    if (operator.endsWith('+')) return given ? this.#nested(rest, depth) : '';
    if (given) return value;
    if (operator.endsWith('?')) this.error ??= `required variable ${name} is missing a value: ${rest}`;
    else if (operator === '') this.unset.push(name);
    else return this.#nested(rest, depth);
    return '';
  }

  #nested(text: string, depth: number): string {
    return depth < MAX_NESTING ? this.replace(text, depth + 1) : text;
  }
}

function referenceAt(text: string, dollar: number, lastBrace: number, operators: RegExp): Reference | undefined {
  const braced = text[dollar + 1] === '{';
  const start = dollar + (braced ? 2 : 1);
  const name = matchAt(NAME_AT, text, start);
  if (name === undefined) return undefined;
  const end = start + name.length;
  if (!braced) return { name, rest: '', end };
  if (text[end] === '}') return { name, rest: '', end: end + 1 };
  const operator = matchAt(operators, text, end);
  const close = operator === undefined || lastBrace < end ? -1 : closingBrace(text, end + operator.length);
  if (operator === undefined || close < 0) return undefined;
  return { name, operator, rest: text.slice(end + operator.length, close), end: close + 1 };
}

/** The brace that ends a reference: the one that balances those opened inside, or else the first. */
function closingBrace(text: string, from: number): number {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{' && text[at - 1] === '$') open++;
    else if (text[at] === '}' && open-- === 0) return at;
  }
  return text.indexOf('}', from);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
