import { deepEqual } from '../exec/deep-equal.ts';
import { contextual, type FunctionTable, fn, variadic } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { decodeJson, encodeJson, type JsonOptions, prettyJson } from '../text/json.ts';
import { isEmpty, kindOf, typeNameOf, type Value } from '../values.ts';

const encoding = (encode: (value: Value, options: JsonOptions) => string, options: JsonOptions, swallow: boolean) =>
  contextual(['any'], ({ meter }, value) => {
    meter.chargeWalk(value);
    try {
      const text = encode(value, options);
      meter.chargeBytes(text.length);
      return text;
    } catch (error) {
      if (swallow && error instanceof CallFailure) return '';
      throw error;
    }
  });

const escaped = { escapeHtml: true };
const raw = { escapeHtml: false };

/** Defaults, JSON, types and `fail`. */
export const basicFunctions: FunctionTable = {
  default: variadic(['any'], 'any', (_context, [given = null], fallback) => (isEmpty(given) ? fallback : given)),
  empty: fn(['any'], isEmpty),
  coalesce: variadic([], 'any', (_context, values) => values.find((value) => !isEmpty(value)) ?? null),
  all: variadic([], 'any', (_context, values) => values.every((value) => !isEmpty(value))),
  any: variadic([], 'any', (_context, values) => values.some((value) => !isEmpty(value))),
  ternary: fn(['any', 'any', 'bool'], (yes, no, condition) => (condition ? yes : no)),
  fail: fn(['string'], (message) => {
    throw new CallFailure(message);
  }),
  fromJson: contextual(['string'], ({ meter }, text) => {
    meter.charge(text.length / 4);
    try {
      return decodeJson(text);
    } catch (error) {
      if (error instanceof CallFailure) return null;
      throw error;
    }
  }),
  mustFromJson: contextual(['string'], ({ meter }, text) => {
    meter.charge(text.length / 4);
    return decodeJson(text);
  }),
  toJson: encoding(encodeJson, escaped, true),
  mustToJson: encoding(encodeJson, escaped, false),
  toPrettyJson: encoding(prettyJson, escaped, true),
  mustToPrettyJson: encoding(prettyJson, escaped, false),
  toRawJson: encoding(encodeJson, raw, false),
  mustToRawJson: encoding(encodeJson, raw, false),
  typeOf: fn(['any'], typeNameOf),
  typeIs: fn(['string', 'any'], (target, value) => target === typeNameOf(value)),
  typeIsLike: fn(['string', 'any'], (target, value) => target === typeNameOf(value) || `*${target}` === typeNameOf(value)),
  kindOf: fn(['any'], kindOf),
  kindIs: fn(['string', 'any'], (target, value) => target === kindOf(value)),
  deepEqual: contextual(['any', 'any'], ({ meter }, a, b) => deepEqual(a, b, meter)),
};
