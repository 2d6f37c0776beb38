const NAME_AND_RULE = '[_a-z\\u017F\\u212A][_a-z0-9\\u017F\\u212A]*(?::?[-?][^}]*)?';
const REFERENCE = new RegExp(`\\$(?:(\\$)|(${NAME_AND_RULE})|\\{(${NAME_AND_RULE})\\}|)`, 'gi');
const FORMS = `a lone $ or a form that is none of $V and \${V} with :-default, -default, :?message or ?message; write $$ for a dollar`;

export interface Substitution {
  readonly text: string;
  /** Variables that have no value and no default; they became empty. */
  readonly unset: readonly string[];
  /** Why the text cannot be interpolated. */
  readonly error?: string;
}

/**
 * Replaces `$V`, `${V}`, `${V:-default}`, `${V-default}`, `${V:?message}`, `${V?message}`; `$$` is one dollar. Rules of
 * the docker CLI: a default also follows a name without braces, no nesting, the default rules are tried before `?`.
 */
export function substitute(text: string, env: Readonly<Record<string, string>>): Substitution {
  if (!text.includes('$')) return { text, unset: [] };
  const unset: string[] = [];
  let error: string | undefined;
  const replaced = text.replace(REFERENCE, (_match, escaped?: string, named?: string, braced?: string) => {
    if (escaped) return '$';
    const reference = named ?? braced;
    if (!reference) {
      error ??= FORMS;
      return '';
    }
    const value = resolve(reference, env);
    if ('error' in value) error ??= value.error;
    if ('unset' in value) unset.push(value.unset);
    return 'value' in value ? value.value : '';
  });
  return { text: replaced, unset, ...(error !== undefined && { error }) };
}

type Resolved = { value: string } | { unset: string } | { error: string };

function resolve(reference: string, env: Readonly<Record<string, string>>): Resolved {
  for (const [separator, emptyCounts] of [
    [':-', true],
    ['-', false],
    [':?', true],
    ['?', false],
  ] as const) {
    const at = reference.indexOf(separator);
    if (at < 0) continue;
    const name = reference.slice(0, at);
    const rest = reference.slice(at + separator.length);
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && !(emptyCounts && value === '')) return { value };
    if (separator.endsWith('-')) return { value: rest };
    return { error: `required variable ${name} is missing a value: ${rest}` };
  }
  const value = Object.hasOwn(env, reference) ? env[reference] : undefined;
  return value === undefined ? { unset: reference } : { value };
}
