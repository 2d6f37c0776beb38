import type { Meter } from '../exec/meter.ts';
import { CallFailure } from '../failure.ts';
import { VersionPointer } from '../semver/version.ts';
import { Dict, isEmpty, List, type Value } from '../values.ts';

/**
 * Merges one map into another as Sprig does (dario.cat/mergo v1.0.1): maps go into maps, anything else takes the place of what is
 * absent or empty, or, with `overwrite`, of everything. The target is changed in place; maps it did not have are shared.
 */
export function mergeInto(target: Dict, source: Dict, overwrite: boolean, meter: Meter, depth = 0): void {
  if (depth > 1000) throw new CallFailure('the maps are nested too deep to be merged; does one hold itself?');
  meter.charge(source.size + 1);
  if (target.anyKeys !== source.anyKeys && source.size > 0 && source.anyKeys)
    throw new CallFailure('reflect: a key of that type does not fit the map');
  for (const [key, value] of source.entries()) mergeEntry(target, key, value, overwrite, meter, depth);
}

function mergeEntry(target: Dict, key: Value, value: Value, overwrite: boolean, meter: Meter, depth: number): void {
  const present = target.get(key);
  if (value === null) {
    if (overwrite) target.set(key, null);
    return;
  }
  if (value instanceof Dict && present instanceof Dict) mergeInto(present, value, overwrite, meter, depth + 1);
  const isFilled = present !== undefined && !isBlank(present);
  if (isFilled && value instanceof Dict && present instanceof Dict) return;
  if (isFilled && value instanceof List && !overwrite) return;
  if (overwrite || !isFilled) target.set(key, value);
}

/** What mergo takes for empty: a version is behind a pointer, and never is. */
const isBlank = (value: Value) => !(value instanceof VersionPointer) && isEmpty(value);
