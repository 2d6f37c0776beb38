import type { ReleaseArtifact, Spec, Warning } from '@hivekeep/contracts';
import type { Tree } from '../seams/fetcher.ts';

export interface RenderInput {
  readonly spec: Spec;
  /** The swarm it is rendered for. */
  readonly swarm: string;
  readonly tree: Tree;
}

/** What an application's source describes at a commit. */
export interface Rendered {
  /** In the order of the source. */
  readonly releases: readonly ReleaseArtifact[];
  readonly warnings: readonly Warning[];
  /** Contents of secrets by the name of the swarm object. Never part of an artifact. */
  readonly secretContents: ReadonlyMap<string, Uint8Array>;
}
