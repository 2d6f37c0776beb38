/** How much may run at a time for one owner (a swarm, a host) and for all together. */
export interface SharedLimits {
  readonly perOwner: number;
  readonly total: number;
}

/**
 * Whether an owner may run one more. Its first always may, so that others that never end cannot keep it out; what runs is
 * at most `total` and one for each owner.
 */
export function hasRoom({ perOwner, total }: SharedLimits, running: { readonly own: number; readonly all: number }): boolean {
  return running.own === 0 || (running.own < perOwner && running.all < total);
}
