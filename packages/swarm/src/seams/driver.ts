/** Brings one destination to a desired state. `Desired` and `Observed` are the driver's own. */
export interface Driver<Desired, Observed> {
  readonly name: string;
  /**
   * `complete: false`: what is not in `desired` is not known to have left, and is kept.
   * @returns what was observed of each wanted item, failures included; throws only when nothing could be reconciled
   */
  reconcile(request: {
    readonly generation: number;
    readonly complete: boolean;
    readonly desired: readonly Desired[];
    readonly signal?: AbortSignal;
  }): Promise<readonly Observed[]>;
}
