export { type DecodeOptions, decode, decodeAll, decodeNodes, decodeValues, nodeToPlain, nodeValue } from './decode.ts';
export { duplicateKeys, type Entry, entriesOf } from './entries.ts';
export { type EvalResult, evalYamlDecode, type TypedValue, typedValue } from './eval.ts';
export { yamlFailure, yamlFailures } from './failure.ts';
export { formatFloat } from './format-float.ts';
export { defaultLimits, type Limits } from './limits.ts';
export * from './nodes.ts';
export { type Resolved, resolveScalar, resolveText } from './resolve.ts';
export { fromPlain, GoBytes, type GoKey, GoMap, GoTime, type GoValue, keyText, type PlainValue, toPlain } from './values.ts';
