interface Cancellable {
  readonly signal: AbortSignal;
}

/**
 * What one swarm does for releases. `Wanted` is what an application declares and what was built of it, `Plan` the planner's, `Revision`
 * the record format's; `Departed` names a release that left with all that allows its removal, `Outcome` says how far that came.
 */
export interface Engine<Wanted, Plan, Revision, Departed, Outcome> {
  /** Reads and decides; writes nothing. @throws HivekeepError `swarm/*`: on a swarm that can't be read nothing is planned */
  planApply(request: Wanted & Cancellable): Promise<Plan>;
  /**
   * Carries a plan out; every write checks the lease first. What is equal is not written: a plan carried out twice changes nothing.
   * `mayBegin` is asked when all is at hand, right before the first write.
   * @returns whether it began
   */
  apply(request: Cancellable & { readonly plan: Plan; mayBegin(): boolean | Promise<boolean> }): Promise<boolean>;
  /** Kept revisions of every release by its name, newest first. @throws HivekeepError `swarm/*` */
  history(): Promise<ReadonlyMap<string, readonly Revision[]>>;
  /**
   * Takes a release that left as far as it may go now: its stack, its volumes where that is asked for, its records when no volume they
   * name is left. An absent release is success.
   */
  uninstall(request: Departed & Cancellable): Promise<Outcome>;
}
