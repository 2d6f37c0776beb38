import type { GoMap } from '@hivekeep/goyaml';

/** What the templates of a chart are given. */
export interface ReleaseContext {
  readonly values: GoMap;
  /** The release's name. */
  readonly release: string;
  readonly chart: { readonly name: string; readonly version: string; readonly appVersion?: string };
}
