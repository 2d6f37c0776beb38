import { createHmac, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Slots } from '@hivekeep/runtime';
import { BoundedCache } from './bounded-cache.ts';

const derive = promisify<Uint8Array, string, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);
/** 32 MiB and some 100 ms each, off the event loop. Digests stand in names on the swarm: changing these renames every secret. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const DIGEST_BYTES = 32;
const MAX_KEPT = 5_000;
const PARALLEL = 2;

export interface SecretQuestion {
  /** Where it is deployed: the swarm's name. */
  readonly destination: string;
  readonly scopedName: string;
  readonly content: Uint8Array;
}

/**
 * scrypt digests of secrets, hex, salted with destination and name: a plain hash in a name that everyone may list could be guessed.
 * Each is computed once; the cache is keyed by a hash under a random key of this process and holds no content.
 */
export class SecretDigests {
  readonly #key = randomBytes(32);
  readonly #known = new BoundedCache<string, string>(MAX_KEPT);
  readonly #slots = new Slots(PARALLEL);

  /** The digest when it is known already. */
  peek(question: SecretQuestion): string | undefined {
    return this.#known.get(this.#keyOf(question));
  }

  async compute(question: SecretQuestion): Promise<string> {
    const digest = await this.#slots.run(() => derive(question.content, saltOf(question), DIGEST_BYTES, COST));
    const text = digest.toString('hex');
    this.#known.set(this.#keyOf(question), text);
    return text;
  }

  #keyOf(question: SecretQuestion): string {
    return createHmac('sha256', this.#key)
      .update(`${saltOf(question)}\0`)
      .update(question.content)
      .digest('base64');
  }
}

function saltOf({ destination, scopedName }: SecretQuestion): string {
  return `hivekeep/secret/v1\0${destination}\0${scopedName}`;
}
