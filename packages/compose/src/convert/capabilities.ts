import { compareText } from '../order.ts';

const ALL = 'ALL';
const RESET = 'RESET';

/**
 * Capabilities in upper case with their prefix, without repeats, sorted. `ALL` takes the place of the others; one that is
 * both added and dropped is added. Source: docker CLI `opts.EffectiveCapAddCapDrop`.
 */
export function effectiveCapabilities(add: readonly string[], drop: readonly string[]): { add: string[]; drop: string[] } {
  const added = normalise(add);
  const dropped = normalise(drop);
  return {
    add: [...added].filter((name) => name !== RESET).sort(compareText),
    drop: [...dropped].filter((name) => name !== RESET && !added.has(name)).sort(compareText),
  };
}

function normalise(names: readonly string[]): Set<string> {
  const full = names.map((name) => {
    const upper = name.trim().toUpperCase();
    return upper === ALL || upper === RESET || upper.startsWith('CAP_') ? upper : `CAP_${upper}`;
  });
  return full.includes(ALL) ? new Set([ALL]) : new Set(full);
}
