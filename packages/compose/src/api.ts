import type { Dialect, SecretReference, Warning } from '@hivekeep/contracts';
import type { ConfigSpec, NetworkCreate, SecretSpec, ServiceSpec } from './engine.ts';

/** Where compose files, env files and contents of configs and secrets are read: a Git tree at a commit, a folder. */
export interface FileReader {
  /** Bytes of a file by its path, relative to the reader's root. Throws when it is missing or leads outside. */
  read(path: string): Promise<Uint8Array>;
}

export interface LoadInput {
  /** Paths for the reader, merged in this order. Relative paths inside them start at the folder of the first. */
  readonly files: readonly string[];
  readonly reader: FileReader;
  /** All that interpolation and bare names in `environment` see. */
  readonly env: Readonly<Record<string, string>>;
  readonly dialect: Dialect;
  /** The stack's name. */
  readonly stack: string;
  /** Warnings with a rule refuse instead. */
  readonly strict?: boolean;
}

/** A compose document as plain data: merged, interpolated, env files resolved into `environment`. */
export type ComposeDocument = Record<string, unknown>;

export interface LoadedStack {
  readonly document: ComposeDocument;
  /** Contents of configs and secrets that have `file:` (or inline content), by key in the document. */
  readonly configs: ReadonlyMap<string, Uint8Array>;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
  /** Every path read, in order: what an artifact is keyed by. */
  readonly reads: readonly string[];
  readonly warnings: readonly Warning[];
}

export interface RotateOptions {
  readonly stack: string;
  /** scrypt of a secret's content, hex, salted with destination and scoped name (the caller's, so that this stays pure). */
  secretDigest(scopedName: string, content: Uint8Array): string;
}

/** A stack whose contents stand beside it under the names of the swarm objects. */
export interface RotatedStack {
  readonly manifest: ComposeDocument;
  /** Contents of configs by object name, base64. */
  readonly files: Record<string, string>;
  readonly secrets: SecretReference[];
  readonly secretContents: ReadonlyMap<string, Uint8Array>;
}

export interface ConvertInput {
  readonly stack: string;
  /** The document of a manifest, as `rotateNames` gives it or a chart renders it. */
  readonly document: ComposeDocument;
  /**
   * `compose` (default): a manifest of ours, which is never interpolated, so a `$` in it is a dollar. `chart`: one that a
   * chart rendered; it is checked against the format first, and `$$` in its values is one dollar.
   */
  readonly kind?: 'compose' | 'chart';
  /** Contents of configs by object name, base64; absent for evidence, which needs names alone. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A volume a service mounts by name (scoped or explicit); `external` ones are mounted, not owned. */
export interface VolumeUse {
  readonly name: string;
  readonly external: boolean;
  readonly driver?: string;
  readonly driverOpts?: Record<string, string>;
  readonly service: string;
  readonly path: string;
}

/**
 * What a manifest becomes, names resolved, ids not: each reference to a config or secret has its name as its id, each
 * attachment the network's name. Sorted by name. No policy is applied here.
 */
export interface StackObjects {
  readonly networks: NetworkCreate[];
  readonly secrets: SecretSpec[];
  readonly configs: ConfigSpec[];
  readonly services: ServiceSpec[];
  /** Names that must exist already. */
  readonly externals: { readonly networks: string[]; readonly secrets: string[]; readonly configs: string[] };
  /** Volumes declared at the top level (used or not) and those mounted. */
  readonly volumes: VolumeUse[];
  /** Wave of each service by scoped name, from the label `com.hivekeep.wave`; 0 when absent. */
  readonly waves: Readonly<Record<string, number>>;
}
