import { CallFailure } from '../failure.ts';
import { VersionPointer } from '../semver/version.ts';
import { nodeText } from '../syntax/node-text.ts';
import type { BoolNode, NumberNode, Operand, StringNode } from '../syntax/nodes.ts';
import { Instant } from '../time/instant.ts';
import { Dict, List, Struct, typeNameOf, type Value } from '../values.ts';
import { type ParamType, typeNames } from './function.ts';

/** What an expression gives: undefined is Go's invalid value (a missing key), null a nil interface. */
export type Result = Value | undefined;

/** Whether a value may stand for a parameter as it is. */
function fits(value: Value, type: ParamType): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'float64':
      return typeof value === 'number';
    case 'map':
      return value instanceof Dict && !value.anyKeys && value.element === 'interface {}';
    case 'time':
      return value instanceof Instant;
    case 'version':
      return value instanceof VersionPointer;
    case 'list':
      return value instanceof List && value.element === 'interface {}';
    case 'certificate':
      return value instanceof Struct && value.typeName === typeNames.certificate;
    default:
      return false; // no value of a template is a uint32; literals are converted before
  }
}

/** The value as an argument of that type. Throws `CallFailure` when it does not fit. Source: validateType of text/template. */
export function checkArgument(value: Result, type: ParamType): Value {
  if (value === undefined) {
    const zero = nilOf(type);
    if (zero !== undefined) return zero;
    throw new CallFailure(`invalid value; expected ${typeNames[type]}`);
  }
  if (fits(value, type)) return value;
  throw new CallFailure(`wrong type for value; expected ${typeNames[type]}; got ${value === null ? 'interface {}' : typeNameOf(value)}`);
}

/** What a literal is here for each type that it may stand for. */
const literalTypes: Partial<Readonly<Record<ParamType, string>>> = {
  string: 'string',
  bool: 'boolean',
  int: 'bigint',
  uint32: 'bigint',
  float64: 'number',
};

/** A literal as an argument: a number takes the type that is asked for. Throws `CallFailure` when it cannot. */
export function literalArgument(node: BoolNode | StringNode | NumberNode, type: ParamType): Value {
  if (type === 'any') return idealValue(node);
  const value = node.type === 'number' ? numberAs(node, type) : node.value;
  const wanted = literalTypes[type];
  if (wanted === undefined) throw new CallFailure(`can't handle ${nodeText(node)} for arg of type ${typeNames[type]}`);
  if (value === undefined || typeof value !== wanted) throw new CallFailure(`expected ${typeNames[type]}; found ${nodeText(node)}`);
  return value;
}

function numberAs(node: NumberNode, type: ParamType): Value | undefined {
  if (type === 'int') return node.int;
  if (type === 'uint32') return node.uint === undefined ? undefined : BigInt.asUintN(32, node.uint);
  return type === 'float64' ? node.float : undefined;
}

/** `nil` as an argument. */
export function nilArgument(type: ParamType): Value {
  const zero = nilOf(type);
  if (zero === undefined) throw new CallFailure(`cannot assign nil to ${typeNames[type]}`);
  return zero;
}

/** The nil of a type that has one. */
function nilOf(type: ParamType): Value | undefined {
  if (type === 'any') return null;
  if (type === 'map') return new Dict({ isNil: true });
  return type === 'list' ? List.nil() : undefined;
}

/** A literal where no type is asked for. */
export function idealValue(node: BoolNode | StringNode | NumberNode): Value {
  if (node.type !== 'number') return node.value;
  if (node.ideal === undefined) throw new CallFailure(`${node.literal} overflows int`);
  return node.ideal;
}

export function isLiteral(node: Operand): node is BoolNode | StringNode | NumberNode {
  return node.type === 'bool' || node.type === 'string' || node.type === 'number';
}
