import type { EnvLine } from '../load/env-file.ts';
import type { Environment } from '../load/interpolate.ts';
import { substitute } from '../load/substitute.ts';
import { record } from '../value.ts';

const LINE = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?:([=:])\s?([\s\S]*))?$/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/**
 * The lines of an env file as the compose specification has them: `export`, values in quotes (which may span lines), comments
 * behind values, references outside of single quotes. Gives a message with its line instead when one cannot be read.
 */
export function parseDotEnv(text: string, env: Environment): EnvLine[] | { readonly error: string; readonly line: number } {
  const out: EnvLine[] = [];
  const seen = record(Object.entries(env));
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const first = index;
    let line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const quote = openQuote(line);
    while (quote !== undefined && index + 1 < lines.length) {
      const next = lines[++index] ?? '';
      line += `\n${next}`;
      if (closing(next, quote, 0) >= 0) break;
    }
    const [, name, separator, rest = ''] = LINE.exec(line) ?? [];
    if (name === undefined) return { error: 'expected NAME=value', line: first + 1 };
    const value = separator === undefined ? null : readValue(rest, seen);
    if (typeof value === 'object' && value !== null) return { error: value.error, line: first + 1 };
    out.push([name, value]);
    if (value !== null) seen[name] = value;
  }
  return out;
}

/** The quote at the start of the value, if it is not closed in this line. */
function openQuote(line: string): string | undefined {
  const value = line.slice(line.indexOf('=') + 1).trimStart();
  const [quote] = value;
  return line.includes('=') && (quote === '"' || quote === "'") && closing(value, quote, 1) < 0 ? quote : undefined;
}

function closing(value: string, quote: string, from: number): number {
  for (let at = from; at < value.length; at++) {
    if (value[at] === '\\' && quote === '"') at++;
    else if (value[at] === quote) return at;
  }
  return -1;
}

function readValue(rest: string, env: Environment): string | { readonly error: string } {
  const value = rest.trim();
  const [quote] = value;
  if (quote !== '"' && quote !== "'") return replaced(value.replace(/(^|\s)#.*$/s, '').trimEnd(), env);
  const end = closing(value, quote, 1);
  if (end < 0) return { error: `the quote ${quote} is not closed` };
  const inner = value.slice(1, end);
  if (quote === "'") return inner;
  return replaced(
    inner.replace(/\\(.)/gs, (_all, char: string) => (char === '$' ? '$$' : (ESCAPES[char] ?? char))),
    env,
  );
}

function replaced(value: string, env: Environment): string | { readonly error: string } {
  const { text, error } = substitute(value, env, 'spec');
  return error === undefined ? text : { error };
}
