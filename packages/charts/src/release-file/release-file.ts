/** A `swarmcli-release.yaml`: the releases of one application, in the order of the file. */
export interface ReleaseFile {
  /** For the command line alone; a controller has an owner of its own. */
  readonly owner?: string;
  readonly repositories: readonly ChartRepository[];
  readonly releases: readonly DeclaredRelease[];
}

export interface ChartRepository {
  readonly name: string;
  readonly url: string;
}

export interface DeclaredRelease {
  readonly name: string;
  /** As written. */
  readonly chart: string;
  readonly location: ChartLocation;
  /** Paths from the root of the tree. */
  readonly values: readonly string[];
  /** Lower waves first. */
  readonly wave: number;
}

export type ChartLocation =
  /** A folder, from the root of the tree. */
  | { readonly kind: 'path'; readonly path: string }
  /** A chart of a repository, at this very version. */
  | { readonly kind: 'repository'; readonly repository: string; readonly chart: string; readonly version: string };
