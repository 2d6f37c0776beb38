interface ReleaseRequest {
  readonly application: string;
  readonly release: string;
  readonly signal?: AbortSignal;
}

/** What one swarm does for releases. `Plan` and `Revision` are the planner's and the record format's. */
export interface Engine<Plan, Revision> {
  /** Reads and decides; writes nothing. */
  planApply(request: { readonly application: string; readonly signal?: AbortSignal }): Promise<Plan>;
  /** Carries a plan out; every write checks the lease first. */
  apply(request: { readonly application: string; readonly plan: Plan; readonly signal?: AbortSignal }): Promise<void>;
  /** Kept revisions, newest first. */
  history(request: ReleaseRequest): Promise<readonly Revision[]>;
  /** Removes the stack and its records; an absent release is success. Keeps volumes unless asked. */
  uninstall(request: ReleaseRequest & { readonly removeVolumes?: boolean }): Promise<void>;
}
