import type { Zone } from './time/zone.ts';
import type { Value } from './values.ts';

/** What differs from one render to the next although template and values are the same. Everything comes from the caller. */
export interface Environment {
  /** Nanoseconds since 1970. */
  readonly now: () => bigint;
  /** The zone of dates without one. */
  readonly localZone: Zone;
  /** So many random bytes; a render is reproducible when these are. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly crypto: CryptoSource;
  /** A value as YAML; line breaks at the end are cut by the function `toYaml`. Strings are byte strings. Throws what cannot be written. */
  readonly toYaml: (value: Value) => string;
}

/** A certificate or key pair in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** What makes keys and certificates. A function that is absent is refused, by its name, when a template calls it. */
export interface CryptoSource {
  /** A bcrypt hash at cost 10 (`$2a$10$…`). */
  readonly bcrypt?: (password: Uint8Array) => string;
  /** `rsa` (4096 bits), `dsa`, `ecdsa` (P-256) or `ed25519`, in PEM. */
  readonly privateKey?: (type: string) => string;
  readonly certificate?: (request: CertificateRequest) => Certificate;
  /** Throws what is wrong when one of the two cannot be read; whether they belong together is not asked. */
  readonly checkPair?: (pair: Certificate) => void;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly ips: readonly string[];
  readonly dnsNames: readonly string[];
  readonly days: number;
  readonly isAuthority: boolean;
  /** Who signs; itself when absent. */
  readonly signer: Certificate | undefined;
  /** In PEM; a new one is made when absent. */
  readonly key: string | undefined;
}
