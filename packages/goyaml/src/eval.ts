import { decode, decodeAll, decodeValues } from './decode.ts';
import { encode } from './encode.ts';
import { formatFloat } from './format-float.ts';
import { fromPlain, GoBytes, type GoKey, GoMap, GoTime, type GoValue } from './values.ts';

/** A value with its Go type, as the recorded cases write it. */
export type TypedValue = { readonly t: string; readonly v: string | TypedValue[] | TypedValue[][]; readonly hex?: string };

interface DecodeCase {
  readonly id: string;
  readonly yaml?: string;
  readonly yamlHex?: string;
  readonly into?: string;
  readonly all?: boolean;
}

export type EvalResult = { id: string; ok: boolean; error: string; value?: TypedValue; output?: string };

/** Answers one recorded decode case (a line of JSON): `{id, ok, value | error}`. */
export function evalYamlDecode(line: string): EvalResult {
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
  readonly indent?: number;
}

/** Answers one recorded emit case (a line of JSON): `{id, ok, output | error}`. */
export function evalYamlEmit(line: string): EvalResult {
  const request = JSON.parse(line) as EmitCase;
  return evaluate(request.id, () => {
    const value = request.yaml === undefined ? fromPlain(request.json) : decode(request.yaml);
    return { output: encode(value, { indent: request.indent ?? 2 }) };
  });
}

function evaluate(id: string, run: () => Pick<EvalResult, 'value' | 'output'>): EvalResult {
  try {
    return { id, ok: true, error: '', ...run() };
  } catch (error) {
    return { id, ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** A value with its Go types spelled out. */
export function typedValue(value: GoValue): TypedValue {
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
