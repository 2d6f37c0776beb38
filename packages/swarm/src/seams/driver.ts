/** Brings one destination to a desired state. `Desired` and `Observed` are the driver's own. */
export interface Driver<Desired, Observed> {
  readonly name: string;
  /**
   * Takes the whole of what is wanted, never a change of it. `generation` grows; an older one than was seen is refused.
   * `complete: false`: what is not in `desired` is not known to have left, and is kept.
   * @returns what was observed last of each wanted item, in their order, failures included; throws only when nothing could be reconciled
   */
  reconcile(request: {
    readonly generation: number;
    readonly complete: boolean;
    readonly desired: readonly Desired[];
    readonly signal: AbortSignal;
  }): Promise<readonly Observed[]>;
}
