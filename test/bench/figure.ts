/** One measured number. `goal` is what it should be, in the same unit; without one it is told for the record. */
export interface Figure {
  /** The figure's letter first: `a.calls.200`. */
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: string | null;
  readonly ok: boolean;
  /** What a reader must know of this number. */
  readonly note?: string;
}

interface Details {
  readonly unit: string;
  readonly note?: string;
}

/** A number that should not be above `most`. One that could not be measured (NaN) misses. */
export function atMost(id: string, value: number, most: number, { unit, note }: Details): Figure {
  return { id, value: rounded(value), unit, goal: `<= ${most}`, ok: value <= most, ...(note !== undefined && { note }) };
}

/** A number that has no goal. */
export function forTheRecord(id: string, value: number, { unit, note }: Details): Figure {
  return { id, value: rounded(value), unit, goal: null, ok: true, ...(note !== undefined && { note }) };
}

/** The value that `share` of all are not above. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** A line for people: `ok    a.calls.200  8 calls (<= 8)`. */
export function figureLine({ id, value, unit, goal, ok, note }: Figure): string {
  const judged = goal === null ? '     ' : ok ? 'ok   ' : 'MISS ';
  return `${judged} ${id.padEnd(28)} ${String(value).padStart(9)} ${unit}${goal === null ? '' : `  (goal ${goal})`}${note ? `  - ${note}` : ''}`;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
