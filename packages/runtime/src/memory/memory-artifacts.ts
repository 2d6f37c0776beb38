import type { Artifacts } from '../bus.ts';
import { packArtifact, unpackArtifact } from '../packed-artifact.ts';

/** Artifacts within one process, packed, the ones used last kept up to a number of bytes. */
export class MemoryArtifacts implements Artifacts {
  readonly #packed = new Map<string, Uint8Array>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async put(digest: string, bytes: Uint8Array): Promise<void> {
    const packed = this.#packed.get(digest) ?? packArtifact(digest, bytes);
    this.#use(digest, packed);
    for (const [oldest, old] of this.#packed) {
      if (this.#bytes <= this.#maxBytes || oldest === digest) break;
      this.#packed.delete(oldest);
      this.#bytes -= old.length;
    }
  }

  async get(digest: string): Promise<Uint8Array | undefined> {
    const packed = this.#packed.get(digest);
    if (!packed) return undefined;
    this.#use(digest, packed);
    return unpackArtifact(digest, packed);
  }

  /** Forgets everything, as a lost volume does. */
  lose(): void {
    this.#packed.clear();
    this.#bytes = 0;
  }

  /** Moves it to the young end of the map's order. */
  #use(digest: string, packed: Uint8Array): void {
    if (this.#packed.delete(digest)) this.#bytes -= packed.length;
    this.#packed.set(digest, packed);
    this.#bytes += packed.length;
  }
}
