import { CallFailure } from '../failure.ts';
import { versionMethods } from '../semver/methods.ts';
import { VersionPointer } from '../semver/version.ts';
import { Instant } from '../time/instant.ts';
import { timeMethods } from '../time/methods.ts';
import { Dict, Struct, typeNameOf } from '../values.ts';
import type { Result } from './arguments.ts';
import type { GoFunction } from './function.ts';
import { namedMethods } from './named-methods.ts';

/** A field's value, or a method to call. */
export type Member = { readonly value: Result } | { readonly method: GoFunction };

/**
 * `.name` of a value. A missing key gives an invalid value, and so does every field of one; a field of nil or of what has none is
 * an error. Throws `CallFailure`. Source: evalField of text/template.
 */
export function fieldOf(receiver: Result, name: string, hasArguments: boolean): Member {
  if (receiver === undefined) return { value: undefined };
  if (receiver === null) throw new CallFailure(`nil pointer evaluating interface {}.${name}`);
  const method = methodOf(receiver, name);
  if (method) return { method };
  if (receiver instanceof Dict && !receiver.isNil) {
    if (hasArguments) throw new CallFailure(`${name} is not a method but has arguments`);
    return { value: receiver.get(name) };
  }
  if (receiver instanceof Dict) return { value: undefined };
  const field = receiver instanceof Struct ? receiver.fields.get(name) : undefined;
  if (field === undefined) throw new CallFailure(`can't evaluate field ${name} in type ${typeNameOf(receiver)}`);
  if (hasArguments) throw new CallFailure(`${name} has arguments but cannot be invoked as function`);
  return { value: field };
}

/** The methods of Go's own types, each with the receiver bound. */
function methodOf(receiver: NonNullable<Result>, name: string): GoFunction | undefined {
  if (typeof receiver !== 'object') return undefined;
  const methods =
    receiver instanceof Instant
      ? timeMethods(receiver)
      : receiver instanceof VersionPointer
        ? versionMethods(receiver)
        : namedMethods(receiver);
  return methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
}
