import { HivekeepError } from '@hivekeep/contracts';
import type { StoredMsg } from '@nats-io/jetstream';
import type { Artifacts } from '../bus.ts';
import { packArtifact, unpackArtifact } from '../packed-artifact.ts';
import { within } from '../waiting.ts';
import { keySubject } from './kv-bucket.ts';
import type { NatsStream } from './nats-stream.ts';

const TRANSFER_MS = 30_000;
const CHUNK_BYTES = 256 * 1024;
const CHUNKS_AT_ONCE = 8;
/** How long a server may take to tell whether it has an artifact; one without the stream says nothing at all. */
const HEAD_MS = 2_000;
/** On the head: how many chunks there are. */
const CHUNKS_HEADER = 'hk-chunks';

/**
 * Artifacts in a bucket of their own: the key `<hex of the digest>` is an artifact's head, `<hex>.<N>` a chunk. They are read one by one
 * by name, so that who may read needs to know the digest: a swarm learns those of its own applications alone. NATS' own object
 * store is read through a consumer, which may be told to deliver anything anywhere. Old artifacts expire or make room; they can
 * be built again.
 */
export class NatsArtifacts implements Artifacts {
  readonly #bucket: NatsStream;
  readonly #ttlMs: number;

  constructor(bucket: NatsStream, ttlMs: number) {
    this.#bucket = bucket;
    this.#ttlMs = ttlMs;
  }

  /** One that is there already is written again only in the second half of its life. The head comes last: with it, all is there. */
  async put(digest: string, bytes: Uint8Array): Promise<void> {
    const packed = packArtifact(digest, bytes);
    await this.#bounded(`put artifact ${digest}`, async () => {
      await this.#bucket.position();
      const head = await this.#head(digest);
      if (head && this.#age(head) < this.#ttlMs / 2) return;
      const count = Math.ceil(packed.length / CHUNK_BYTES);
      const chunk = (index: number) => packed.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
      await inBatches(count, (index) => this.#bucket.publish(this.#subject(digest, index), chunk(index)));
      await this.#bucket.publish(this.#subject(digest), new Uint8Array(), { headers: { [CHUNKS_HEADER]: String(count) } });
    });
  }

  async get(digest: string): Promise<Uint8Array | undefined> {
    const packed = await this.#bounded(`get artifact ${digest}`, async () => {
      const head = await this.#head(digest);
      // Its chunks are older, so at the very end of its life they may be gone before it.
      if (!head || this.#age(head) > this.#ttlMs - TRANSFER_MS) return undefined;
      const count = Number(head.header.get(CHUNKS_HEADER));
      const chunks = await inBatches(count, (index) => this.#bucket.newest(this.#subject(digest, index)));
      return chunks.every((chunk) => chunk !== undefined) ? Buffer.concat(chunks.map(({ data }) => data)) : undefined;
    });
    return packed && unpackArtifact(digest, packed);
  }

  #subject(digest: string, chunk?: number): string {
    return keySubject(this.#bucket, digest.replace('sha256:', '') + (chunk === undefined ? '' : `.${chunk}`));
  }

  async #head(digest: string): Promise<StoredMsg | undefined> {
    const late = () => new HivekeepError('bus/timeout', `nothing is known of artifact ${digest}`);
    return within(this.#bucket.newest(this.#subject(digest)), { ms: HEAD_MS, late }).catch((error: unknown) => {
      if (HivekeepError.is(error, 'bus/timeout', 'bus/no-answer')) return undefined;
      throw error;
    });
  }

  #age({ time }: StoredMsg): number {
    return Date.now() - time.getTime();
  }

  #bounded<T>(doing: string, work: () => Promise<T>): Promise<T> {
    const late = () => new HivekeepError('bus/timeout', `${doing}: not done in ${TRANSFER_MS} ms`);
    return within(work(), { ms: TRANSFER_MS, late });
  }
}

/** What `each` gives for 0 to `count - 1`, a few at a time. */
async function inBatches<T>(count: number, each: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += CHUNKS_AT_ONCE) {
    const indexes = Array.from({ length: Math.min(CHUNKS_AT_ONCE, count - from) }, (_, at) => from + at);
    results.push(...(await Promise.all(indexes.map(each))));
  }
  return results;
}
