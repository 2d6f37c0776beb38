import type { Meter } from '../exec/meter.ts';
import { CallFailure, LimitFailure } from '../failure.ts';
import { VersionPointer } from '../semver/version.ts';
import { Instant } from '../time/instant.ts';
import { Dict, isEmpty, List, Struct, typeNameOf, type Value } from '../values.ts';

const MAX_DEPTH = 1000;

/** Two values that mergo refuses to merge; Sprig's `merge` then gives an empty text, `mustMerge` fails. */
export class MergeMismatch extends Error {
  override readonly name = 'MergeMismatch';
}

/**
 * Merges one map into another as Sprig does (dario.cat/mergo v1.0.1): maps go into maps, anything else takes the place of what is
 * absent or empty, or, with `overwrite`, of everything. The target is changed in place; maps it did not have are shared.
 * Throws `MergeMismatch`, and `CallFailure` where Go panics.
 */
export function mergeInto(target: Dict, source: Dict, overwrite: boolean, meter: Meter, depth = 0): void {
  if (depth > MAX_DEPTH) throw new LimitFailure(`maps nested deeper than ${MAX_DEPTH} cannot be merged; does one hold itself?`);
  meter.charge(source.size + 1);
  if (!target.anyKeys && source.anyKeys && source.size > 0) {
    throw new CallFailure('reflect.Value.MapIndex: value of type interface {} is not assignable to type string');
  }
  for (const [key, value] of source.entries()) {
    const present = target.get(key);
    if (value === null) {
      if (overwrite) put(target, source, key, null);
      continue;
    }
    mergeMembers(present ?? null, value, overwrite, meter, depth);
    const isFilled = present !== undefined && !isBlank(present);
    if (isFilled && value instanceof Dict && present instanceof Dict) continue;
    if (value instanceof List) put(target, source, key, overwrite || !isFilled ? value : present);
    else if (overwrite || !isFilled) put(target, source, key, value);
  }
}

/** What happens inside of two values before one takes the other's place. */
function mergeMembers(present: Value, value: Value, overwrite: boolean, meter: Meter, depth: number): void {
  const hasMembers = value instanceof Dict || value instanceof Struct || value instanceof Instant || value instanceof VersionPointer;
  if (!hasMembers) return;
  if (present instanceof Dict && value instanceof Dict) mergeInto(present, value, overwrite, meter, depth + 1);
  else if (present instanceof Struct && (value instanceof Dict || value instanceof VersionPointer)) {
    throw new CallFailure(`reflect: call of reflect.Value.Field on ${value.kind} Value`);
  } else if (
    present instanceof VersionPointer &&
    !(value instanceof VersionPointer) &&
    !overwrite &&
    !(value instanceof Dict && value.isNil)
  ) {
    throw new MergeMismatch('src and dst must be of same type');
  }
}

/** A map of strings takes no value out of a map of anything. */
function put(target: Dict, source: Dict, key: Value, value: Value): void {
  if (target.element === 'string' && source.element !== 'string') {
    throw new CallFailure(`reflect.Value.SetMapIndex: value of type ${typeNameOf(value)} is not assignable to type string`);
  }
  target.set(key, value);
}

/** What mergo takes for empty: a version is behind a pointer, and never is. */
const isBlank = (value: Value) => !(value instanceof VersionPointer) && isEmpty(value);
