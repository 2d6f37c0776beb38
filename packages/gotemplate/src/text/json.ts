import { CallFailure } from '../failure.ts';
import { VersionPointer } from '../semver/version.ts';
import { formatTime } from '../time/format.ts';
import { Instant } from '../time/instant.ts';
import { Complex, Dict, integerOf, List, Struct, typeNameOf, type Value } from '../values.ts';
import { bytesOf, RUNE_ERROR, replaceRunes, textOf } from './bytes.ts';
import { formatFloat } from './format-float.ts';

/** Go's encoding/json. */

export interface JsonOptions {
  /** `<`, `>` and `&` as `\u003c` and so on. */
  readonly escapeHtml: boolean;
}

/** Where Go stops too. */
const MAX_DECODED_DEPTH = 1000;

/** A value as JSON, keys in ascending order. Throws `CallFailure` for what JSON does not have. */
export function encodeJson(value: Value, options: JsonOptions): string {
  if (value instanceof List) return value.isNil ? 'null' : `[${value.items.map((item) => encodeJson(item, options)).join(',')}]`;
  const members = membersOf(value);
  if (members === null) return 'null';
  if (members) return `{${members.map(([key, item]) => `${jsonString(key, options)}:${encodeJson(item, options)}`).join(',')}}`;
  return scalarJson(value, options);
}

/** The same, two spaces a level. */
export function prettyJson(value: Value, options: JsonOptions, indent = ''): string {
  const inner = `${indent}  `;
  const block = (open: string, items: string[], close: string) =>
    `${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`;
  if (value instanceof List && value.items.length > 0)
    return block(
      '[',
      value.items.map((item) => prettyJson(item, options, inner)),
      ']',
    );
  const members = membersOf(value);
  if (!members || members.length === 0) return encodeJson(value, options);
  return block(
    '{',
    members.map(([key, item]) => `${jsonString(key, options)}: ${prettyJson(item, options, inner)}`),
    '}',
  );
}

/** Keys and values of a map or struct; null for a nil map, undefined for everything else. */
function membersOf(value: Value): [string, Value][] | null | undefined {
  if (value instanceof Struct) return [...value.fields];
  if (!(value instanceof Dict)) return undefined;
  if (value.anyKeys) throw new CallFailure(`json: unsupported type: ${typeNameOf(value)}`);
  if (value.isNil) return null;
  return value
    .entries()
    .map(([key, item]): [string, Value] => [String(key), item])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function scalarJson(value: Value, options: JsonOptions): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return jsonString(value, options);
  if (typeof value === 'number') return jsonNumber(value);
  const integer = integerOf(value);
  if (integer !== undefined) return String(integer);
  if (value instanceof Instant) return timeJson(value);
  if (value instanceof VersionPointer) return jsonString(value.version.toString(), options);
  throw new CallFailure(`json: unsupported type: ${value instanceof Complex ? 'complex128' : typeNameOf(value)}`);
}

function timeJson(value: Instant): string {
  const { year } = value.civil();
  if (year < 0 || year > 9999) throw new CallFailure('json: year outside of range [0,9999]');
  return `"${formatTime(value, '2006-01-02T15:04:05.999999999Z07:00')}"`;
}

function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) throw new CallFailure(`json: unsupported value: ${formatFloat(value, 'g', -1)}`);
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return formatFloat(value, 'f', -1);
  return formatFloat(value, 'e', -1).replace(/e-0(\d)$/, 'e-$1');
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const special = /[\x00-\x1f"\\<>&\x80-\xff]/;

function jsonString(text: string, { escapeHtml }: JsonOptions): string {
  if (!special.test(text)) return `"${text}"`;
  const inner = replaceRunes(text, (rune, own) => {
    if (rune === RUNE_ERROR && own.length === 1) return '\\ufffd';
    if (rune === 0x2028 || rune === 0x2029) return `\\u${rune.toString(16)}`;
    const isEscaped = rune < 0x20 || (escapeHtml && (own === '<' || own === '>' || own === '&'));
    return shortEscapes[own] ?? (isEscaped ? `\\u${rune.toString(16).padStart(4, '0')}` : own);
  });
  return `"${inner}"`;
}

/** JSON as Go reads it into an `any`: every number is a float. Throws `CallFailure` when it is none. */
export function decodeJson(text: string): Value {
  let parsed: unknown;
  try {
    parsed = JSON.parse(textOf(text));
  } catch {
    throw new CallFailure('invalid JSON');
  }
  return fromJson(parsed, 0);
}

function fromJson(value: unknown, depth: number): Value {
  if (depth > MAX_DECODED_DEPTH) throw new CallFailure('JSON is nested too deep');
  if (typeof value === 'string') return bytesOf(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new CallFailure('json: a number does not fit float64');
    return value;
  }
  if (typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return new List(value.map((item) => fromJson(item, depth + 1)));
  const dict = new Dict();
  for (const [key, item] of Object.entries(value as object)) dict.set(bytesOf(key), fromJson(item, depth + 1)); // JSON has nothing else
  return dict;
}
