import { HivekeepError } from '@hivekeep/contracts';
import { type JetStreamClient, StorageType } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import { nanos } from '@nats-io/transport-node';
import type { Artifacts } from '../bus.ts';
import { packArtifact, unpackArtifact } from '../packed-artifact.ts';
import { within } from '../waiting.ts';
import type { NatsLink } from './nats-link.ts';

export interface NatsArtifactsOptions {
  readonly ttlMs: number;
  readonly maxBytes: number;
  readonly replicas: number;
}

const BUCKET = 'hk-artifacts';
const TRANSFER_MS = 30_000;

/** Artifacts in a JetStream object store. Old ones expire; they can be built again. */
export class NatsArtifacts implements Artifacts {
  readonly #link: NatsLink;
  readonly #js: JetStreamClient;
  readonly #options: NatsArtifactsOptions;

  constructor(link: NatsLink, js: JetStreamClient, options: NatsArtifactsOptions) {
    this.#link = link;
    this.#js = js;
    this.#options = options;
  }

  /** One that is there already is written again only in the second half of its life. */
  async put(digest: string, bytes: Uint8Array): Promise<void> {
    const packed = packArtifact(digest, bytes);
    await this.#bounded(`put artifact ${digest}`, async (store) => {
      const present = await store.info(digest);
      if (present && !present.deleted && this.#age(present.mtime) < this.#options.ttlMs / 2) return;
      await store.putBlob({ name: digest }, packed, { timeout: TRANSFER_MS });
    });
  }

  async get(digest: string): Promise<Uint8Array | undefined> {
    const packed = await this.#bounded(`get artifact ${digest}`, async (store) => {
      const info = await store.info(digest);
      // Its chunks are older than its entry, so at the very end of its life they may be gone before it.
      const usable = info && !info.deleted && this.#age(info.mtime) < this.#options.ttlMs - TRANSFER_MS;
      return usable ? await store.getBlob(digest) : null;
    });
    return packed ? unpackArtifact(digest, packed) : undefined;
  }

  #age(mtime: string): number {
    return Date.now() - Date.parse(mtime);
  }

  async #bounded<T>(doing: string, work: (store: ObjectStore) => Promise<T>): Promise<T> {
    const late = () => new HivekeepError('bus/timeout', `${doing}: not done in ${TRANSFER_MS} ms`);
    return this.#link.run(doing, () => within(this.#open().then(work), { ms: TRANSFER_MS, late }));
  }

  /** Loaded when it is first used: an agent never needs it. */
  async #open(): Promise<ObjectStore> {
    const { Objm } = await import('@nats-io/obj');
    const { ttlMs, maxBytes, replicas } = this.#options;
    return new Objm(this.#js).create(BUCKET, { ttl: nanos(ttlMs), max_bytes: maxBytes, replicas, storage: StorageType.File });
  }
}
