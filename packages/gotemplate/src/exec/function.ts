import type { Environment } from '../environment.ts';
import type { VersionPointer } from '../semver/version.ts';
import type { Instant } from '../time/instant.ts';
import type { Dict, List, Struct, Value } from '../values.ts';
import type { Meter } from './meter.ts';

/** What a parameter takes: Go's own types, and `any` for `interface{}`. */
export type ParamType = keyof ParamValue;

interface ParamValue {
  readonly any: Value;
  readonly string: string;
  readonly bool: boolean;
  /** Plain `int` alone; an int64, which Sprig's arithmetic gives, does not fit. */
  readonly int: bigint;
  readonly uint32: bigint;
  readonly float64: number;
  /** `map[string]interface {}`, possibly nil. */
  readonly map: Dict;
  readonly time: Instant;
  readonly version: VersionPointer;
  /** `[]interface {}`, possibly nil. */
  readonly list: List;
  /** What Sprig's certificate functions give. */
  readonly certificate: Struct;
}

/** What functions may use beside their arguments. */
export interface CallContext {
  readonly meter: Meter;
  readonly environment: Environment;
}

/** A function that templates call. It throws `CallFailure` where Go returns an error or panics. */
export interface GoFunction {
  readonly params: readonly ParamType[];
  /** The type of further arguments, where it takes any number. */
  readonly rest: ParamType | undefined;
  /** Arguments have been checked against the types. */
  readonly invoke: (args: readonly Value[], context: CallContext) => Value;
}

type ParamValues<P extends readonly ParamType[]> = { [I in keyof P]: ParamValue[P[I]] };
type Invoke<A extends readonly unknown[]> = (context: CallContext, ...args: A) => Value;

/** A function with typed parameters. The cast is right because the executor checks arguments before the call. */
function define<A extends readonly unknown[]>(params: readonly ParamType[], rest: ParamType | undefined, call: Invoke<A>): GoFunction {
  return { params, rest, invoke: (args, context) => call(context, ...(args as unknown as A)) };
}

export function fn<const P extends readonly ParamType[]>(params: P, call: (...args: ParamValues<P>) => Value): GoFunction {
  return define<ParamValues<P>>(params, undefined, (_context, ...args) => call(...args));
}

/** The same, for those that need the context. */
export function contextual<const P extends readonly ParamType[]>(params: P, call: Invoke<ParamValues<P>>): GoFunction {
  return define(params, undefined, call);
}

/** With any number of further arguments of one type, which come as an array. */
export function variadic<const P extends readonly ParamType[], R extends ParamType>(
  params: P,
  rest: R,
  call: (context: CallContext, rest: readonly ParamValue[R][], ...args: ParamValues<P>) => Value,
): GoFunction {
  return define<readonly Value[]>(params, rest, (context, ...args) => {
    const fixed = args.slice(0, params.length) as unknown as ParamValues<P>; // as in define
    return call(context, args.slice(params.length) as unknown as ParamValue[R][], ...fixed);
  });
}

export type FunctionTable = Readonly<Record<string, GoFunction>>;

/** How a type is called in messages. */
export const typeNames: Readonly<Record<ParamType, string>> = {
  any: 'interface {}',
  string: 'string',
  bool: 'bool',
  int: 'int',
  uint32: 'uint32',
  float64: 'float64',
  map: 'map[string]interface {}',
  time: 'time.Time',
  version: '*semver.Version',
  list: '[]interface {}',
  certificate: 'sprig.certificate',
};
