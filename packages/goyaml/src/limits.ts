/** Bounds of one read; whoever exceeds one gets an error that names it. */
export interface Limits {
  /** Bytes of the text. */
  readonly bytes: number;
  /** How deep collections may nest. yaml.v3 allows 10,000; a stack frame of ours is dearer. */
  readonly depth: number;
  /** Values made in all, aliases expanded. */
  readonly values: number;
}

export const defaultLimits: Limits = { bytes: 16 * 1024 * 1024, depth: 1000, values: 2_000_000 };
