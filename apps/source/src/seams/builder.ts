import type { BuildResult, Spec, sourceCalls } from '@hivekeep/contracts';
import type { z } from 'zod';

export type BuildRequest = z.output<typeof sourceCalls.BuildRequest>;

/** Makes of repositories at a revision what is deployed. A class, so that it is its own injection token. */
export abstract class Builder {
  /**
   * One result for each request, in their order. The remote of each repository is asked once; an error costs its application alone.
   * Equal content gives the same artifact, whatever the commit.
   */
  abstract build(swarm: string, requests: readonly BuildRequest[], signal: AbortSignal): Promise<BuildResult[]>;
  /**
   * The contents of a release's secrets at a commit by object name. Throws `artifact/missing` when the content there no longer makes one
   * of the names, and what building throws.
   */
  abstract secretContents(swarm: string, spec: Spec, commit: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}
