import { isDeepStrictEqual } from 'node:util';

export type Verdict =
  | { readonly equal: true }
  | { readonly equal: false; readonly deviations: readonly string[]; readonly paths: readonly string[] };

type Named = Record<string, unknown> & { Name: string };
interface Result {
  readonly error?: string;
  readonly deviations?: readonly { readonly id: string; readonly paths: readonly string[] }[];
}

const KINDS = ['networks', 'secrets', 'configs', 'services'];
/** Lists whose order among equal keys is free, by the last parts of their path. */
const FREE_ORDER = /\.(Ports|Secrets|Configs|Networks)$/;

/** Compares a result with what the docker CLI sent (undefined: it refused). `paths` are those that no deviation reports. */
export function compareResult(expected: unknown, actual: unknown): Verdict {
  const { error, deviations = [] } = actual as Result;
  const differing = error !== undefined || expected === undefined ? outcome(expected, error) : compareObjects(expected, actual);
  if (differing.length === 0) return { equal: true };
  const reported = deviations.flatMap(({ paths }) => paths);
  const paths = differing.filter(
    (path) => !reported.some((at) => path === at || (path.startsWith(at) && /[.[]/.test(path[at.length] ?? ''))),
  );
  return { equal: false, deviations: deviations.map(({ id }) => id), paths };
}

function outcome(expected: unknown, error: string | undefined): string[] {
  return (expected === undefined) === (error !== undefined) ? [] : ['outcome'];
}

function compareObjects(expected: unknown, actual: unknown): string[] {
  return KINDS.flatMap((kind) => {
    const wanted = byName(expected, kind);
    const found = byName(actual, kind);
    return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((name) =>
      differences(wanted.get(name), found.get(name), `${kind}[${name}]`),
    );
  });
}

function byName(result: unknown, kind: string): Map<string, Named> {
  const list = (result as Record<string, Named[]>)[kind] ?? [];
  return new Map(list.map((object) => [object.Name, object]));
}

function differences(expected: unknown, actual: unknown, at: string): string[] {
  if (isDeepStrictEqual(plain(expected, at), plain(actual, at))) return [];
  if (!isMapping(expected) || !isMapping(actual)) return [at];
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return keys.flatMap((key) => differences(expected[key], actual[key], `${at}.${key}`));
}

/** Without prototypes, and with lists of free order sorted. */
function plain(value: unknown, at: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item, at));
    return FREE_ORDER.test(at) ? items.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : items;
  }
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, plain(value[key], `${at}.${key}`)]),
  );
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? `${member}n` : member));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
