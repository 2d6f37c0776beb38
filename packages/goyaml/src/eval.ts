import { parseJson } from '@hivekeep/contracts';
import { decode, decodeAll, decodeValues } from './decode.ts';
import { encode } from './encode.ts';
import { formatFloat } from './format-float.ts';
import { resolveText } from './resolve.ts';
import { GoBytes, type GoKey, GoMap, GoTime, type GoValue } from './values.ts';

/** A value with its Go type, as the recorded cases write it. */
type TypedValue = { readonly t: string; readonly v: string | TypedValue[] | TypedValue[][]; readonly hex?: string };

interface DecodeCase {
  readonly id: string;
  readonly yaml?: string;
  readonly yamlHex?: string;
  readonly into?: string;
  readonly all?: boolean;
}

type EvalResult = { value: TypedValue } | { output: string };

/** Answers one decode request (a line of JSON: `{id, yaml | yamlHex, into?, all?}`) with a line: `{id, ok, error, value}`. */
export function evalYamlDecode(line: string): string {
  const request = JSON.parse(line) as DecodeCase;
  const text = request.yamlHex === undefined ? (request.yaml ?? '') : Buffer.from(request.yamlHex, 'hex');
  return evaluate(request.id, () => {
    if (request.all) return { value: typedValue(decodeAll(text)) };
    return { value: typedValue(request.into === 'values' ? decodeValues(text) : decode(text)) };
  });
}

interface EmitCase {
  readonly id: string;
  readonly json?: unknown;
  readonly yaml?: string;
  readonly indent?: bigint;
}

/** Answers one emit request (a line of JSON: `{id, json | yaml, indent?}`) with a line: `{id, ok, error, output}`. */
export function evalYamlEmit(line: string): string {
  const request = parseJson(line, goNumber) as EmitCase;
  return evaluate(request.id, () => {
    const value = request.yaml === undefined ? fromJson(request.json) : decode(request.yaml);
    return { output: encode(value, { indent: Number(request.indent ?? 2) }) };
  });
}

/** A number as Go reads it from JSON: whole ones are ints, as far as Go's reach. */
function goNumber(value: number, source: string): GoKey {
  const resolved = /^-?\d+$/.test(source) ? resolveText(source).value : value;
  return typeof resolved === 'bigint' ? resolved : value;
}

/** JSON with the numbers of `goNumber`. */
function fromJson(json: unknown): GoValue {
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json !== 'object' || json === null) return json as GoKey; // JSON has no others
  return new GoMap(Object.entries(json).map(([key, member]) => [key, fromJson(member)]));
}

function evaluate(id: string, run: () => EvalResult): string {
  try {
    return JSON.stringify({ id, ok: true, error: '', ...run() });
  } catch (error) {
    return JSON.stringify({ id, ok: false, error: error instanceof Error ? error.message : String(error) });
  }
}

/** A value with its Go types spelled out. */
function typedValue(value: GoValue): TypedValue {
  if (Array.isArray(value)) return { t: 'list', v: value.map(typedValue) };
  if (value instanceof GoMap) return typedMap(value);
  return typedScalar(value);
}

function typedScalar(value: GoKey): TypedValue {
  if (value === null) return { t: 'null', v: 'null' };
  if (value instanceof GoTime) return { t: 'time', v: value.toString() };
  if (value instanceof GoBytes)
    return { t: 'string', v: Buffer.from(value.bytes).toString('utf8'), hex: Buffer.from(value.bytes).toString('hex') };
  switch (typeof value) {
    case 'bigint':
      return { t: value > 2n ** 63n - 1n ? 'uint' : 'int', v: value.toString() };
    case 'number':
      return { t: 'float', v: formatFloat(value) };
    case 'boolean':
      return { t: 'bool', v: String(value) };
    default:
      return { t: 'string', v: value };
  }
}

function typedMap(map: GoMap): TypedValue {
  const entries = [...map].map(([key, value]) => [typedScalar(key), typedValue(value)] as const);
  const order = (key: TypedValue) => Buffer.from(map.anyKeys ? `${key.t}\0${String(key.v)}` : String(key.v), 'utf8');
  entries.sort(([a], [b]) => Buffer.compare(order(a), order(b)));
  return { t: map.anyKeys ? 'anymap' : 'map', v: entries.map((entry) => [...entry]) };
}
