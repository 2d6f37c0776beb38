import type { GoMap } from '@hivekeep/goyaml';

/** `Chart.yaml`. Texts are what the file says: an unquoted `appVersion: 1.10` is `1.10`. */
export interface ChartMetadata {
  readonly name: string;
  /** Not checked to be a SemVer. */
  readonly version: string;
  readonly appVersion?: string;
  /** A constraint on the engine's version. */
  readonly swarmcliVersion?: string;
  readonly description?: string;
  readonly maintainers: readonly { readonly name?: string; readonly email?: string; readonly url?: string }[];
  /** Read for display; no dependency is ever resolved. */
  readonly dependencies: readonly { readonly name?: string; readonly version?: string; readonly repository?: string }[];
}

/** A chart, loaded and checked; the same from a folder and from an archive. */
export interface Chart {
  readonly metadata: ChartMetadata;
  /** `Chart.yaml` byte for byte. */
  readonly rawMetadata: Uint8Array;
  /** Defaults. Never changed: merging copies. */
  readonly values: GoMap;
  /** `values.yaml` byte for byte. */
  readonly rawValues?: Uint8Array;
  readonly schema?: Uint8Array;
  /** `requirements.yaml`, which is a template. */
  readonly requirements?: Uint8Array;
  readonly readme?: Uint8Array;
  /** By path: `templates/stack.yaml`. At least one. */
  readonly templates: ReadonlyMap<string, Uint8Array>;
  /** By path: `files/tls/ca.pem`; null without a folder `files`. */
  readonly files: ReadonlyMap<string, Uint8Array> | null;
}
