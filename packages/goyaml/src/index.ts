export {
  type DecodeOptions,
  decode,
  decodeAll,
  decodeFirst,
  decodeNodes,
  decodeValues,
  findDuplicateKeys,
  nodeToPlain,
  nodeValue,
} from './decode.ts';
export { type EncodeOptions, encode } from './encode.ts';
export { duplicateKeys, type Entry, entriesOf } from './entries.ts';
export { evalYamlDecode, evalYamlEmit } from './eval.ts';
export { yamlFailure, yamlFailures } from './failure.ts';
export { formatFloat } from './format-float.ts';
export { compareKeys, compareNaturally } from './key-order.ts';
export { defaultLimits, type Limits } from './limits.ts';
export * from './nodes.ts';
export { type Resolved, resolveBool, resolveScalar, resolveText } from './resolve.ts';
export { fromPlain, GoBytes, type GoKey, GoMap, GoStruct, GoTime, type GoValue, keyText, type PlainValue, toPlain } from './values.ts';
