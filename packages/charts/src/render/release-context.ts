import type { GoMap } from '@hivekeep/goyaml';

/** The three roots of a template. A wrong field of `Release` or `Chart` is an error, a missing value is not. */
export interface ReleaseContext {
  readonly values: GoMap;
  /** `Namespace` is the name again, and `Revision` is always 1, so that equal inputs render equally. */
  readonly release: string;
  readonly chart: { readonly name: string; readonly version: string; readonly appVersion?: string };
}
