import type { ScalarNode } from './nodes.ts';
import { parseTimestamp } from './timestamp.ts';
import { GoBytes, type GoKey } from './values.ts';

/** A scalar's short tag and value; `problem` when its tag and its text do not go together. */
export type Resolved = { readonly tag: string; readonly value: GoKey } | { readonly problem: string };

const WORDS = new Map<string, { tag: string; value: null | boolean | number }>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, { tag: '!!null', value: null }] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, { tag: '!!bool', value: true }] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, { tag: '!!bool', value: false }] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, { tag: '!!float', value: Number.NaN }] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, { tag: '!!float', value: Infinity }] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, { tag: '!!float', value: -Infinity }] as const),
]);
const TYPED_TAGS = new Set(['!!bool', '!!int', '!!float', '!!null', '!!timestamp']);
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** With a leading point yaml.v3 leaves `_` to Go's `ParseFloat`, which wants digits around it. */
const POINT_FLOAT = /^\.[0-9](_?[0-9])*([eE][-+]?[0-9](_?[0-9])*)?$/;
const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const MAX_UINT = 2n ** 64n - 1n;

/** The value of a scalar as yaml.v3 gives it to an `any`: by its tag, its quotes, or its text. */
export function resolveScalar(node: ScalarNode): Resolved {
  const untagged = node.tag === '' || node.tag === '!';
  if (node.tag === '!!str' || (untagged && node.style !== 'plain')) return { tag: '!!str', value: node.text };
  if (untagged) return resolveText(node.text, true);
  if (node.tag === '!!binary') return resolveBinary(node.text);
  if (!TYPED_TAGS.has(node.tag)) return { tag: node.tag, value: node.text };
  const found = resolveText(node.text, node.tag === '!!timestamp');
  if (found.tag === node.tag) return found;
  if (node.tag === '!!float' && typeof found.value === 'bigint' && found.value <= MAX_INT)
    return { tag: '!!float', value: Number(found.value) };
  return { problem: `cannot decode ${found.tag} \`${node.text}\` as a ${node.tag}` };
}

const TRUE_WORDS = ['y', 'Y', 'yes', 'on'];
const FALSE_WORDS = ['n', 'N', 'no', 'off'];

/** A scalar where a bool is wanted: there yaml.v3 takes some words of YAML 1.1 too, quoted or not. Undefined when it is none. */
export function resolveBool(node: ScalarNode): boolean | undefined {
  const resolved = resolveScalar(node);
  if (!('value' in resolved)) return undefined;
  if (typeof resolved.value === 'boolean') return resolved.value;
  if (TRUE_WORDS.includes(node.text)) return true;
  return FALSE_WORDS.includes(node.text) ? false : undefined;
}

/** What a plain text means without a tag: a word, a number, a time or a string. Source: yaml.v3 resolve.go. */
export function resolveText(text: string, times = true): { tag: string; value: GoKey } {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const first = text[0] ?? '';
  if (first === '.') return (POINT_FLOAT.test(text) && resolveFloat(text.replaceAll('_', ''))) || { tag: '!!str', value: text };
  if (!/[-+0-9]/.test(first)) return { tag: '!!str', value: text };
  const time = times ? parseTimestamp(text) : undefined;
  if (time !== undefined) return { tag: '!!timestamp', value: time };
  const plain = text.replaceAll('_', '');
  const int = parseInteger(plain);
  if (int !== undefined) return { tag: '!!int', value: int };
  return resolveFloat(plain) ?? { tag: '!!str', value: text };
}

function resolveFloat(text: string): { tag: string; value: number } | undefined {
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? { tag: '!!float', value } : undefined;
}

/** Go's `ParseInt`/`ParseUint` with base 0: decimal, `0x`, `0o`, `0b`, and a leading 0 for octal; and `0o-7`, which yaml.v3 lets pass. */
function parseInteger(text: string): bigint | undefined {
  const inner = /^(0[ob])([-+])([0-7]+)$/.exec(text);
  if (inner !== null) return parseInteger(`${inner[2]}${inner[1]}${inner[3]}`);
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', digits = ''] = match;
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits);
  const value = sign === '-' ? -magnitude : magnitude;
  if (value < MIN_INT || value > MAX_UINT) return undefined;
  return value > MAX_INT && sign !== '' ? undefined : value;
}

function resolveBinary(text: string): Resolved {
  const base64 = text.replace(/[\r\n]/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return { problem: '!!binary value contains invalid base64 data' };
  const bytes = Buffer.from(base64, 'base64');
  const decoded = bytes.toString('utf8');
  return { tag: '!!binary', value: Buffer.from(decoded, 'utf8').equals(bytes) ? decoded : new GoBytes(bytes) };
}
