import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { HivekeepError } from '@hivekeep/contracts';

const MAX_TOKEN_BYTES = 64 * 1024;

/** The admin token: from a file that is read again when it changes, or a fixed text. Compared in constant time. */
export class AdminToken {
  readonly #file: string | undefined;
  #digest: Buffer;
  #stamp = '';

  private constructor(file: string | undefined, digest: Buffer) {
    this.#file = file;
    this.#digest = digest;
  }

  /** Throws `config/invalid` when no token is given or it is empty: without one nothing is served. */
  static load(given: { adminTokenFile?: string | undefined; adminToken?: string | undefined }): AdminToken {
    if (given.adminTokenFile !== undefined) {
      const token = new AdminToken(given.adminTokenFile, Buffer.alloc(0));
      token.#read(given.adminTokenFile);
      return token;
    }
    const text = given.adminToken?.trim() ?? '';
    if (text !== '') return new AdminToken(undefined, digestOf(text));
    throw new HivekeepError(
      'config/invalid',
      'no admin token: give --admin-token-file, or HIVEKEEP_ADMIN_TOKEN_FILE or HIVEKEEP_ADMIN_TOKEN in the environment',
    );
  }

  matches(candidate: string): boolean {
    this.#readIfChanged();
    return timingSafeEqual(digestOf(candidate), this.#digest);
  }

  /** A file that is gone or empty for a moment (rotation) leaves the last token in force. */
  #readIfChanged(): void {
    if (this.#file === undefined) return;
    try {
      if (stampOf(this.#file) !== this.#stamp) this.#read(this.#file);
    } catch (error) {
      if (!HivekeepError.is(error, 'config/invalid') && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  #read(file: string): void {
    let text: string;
    let stamp: string;
    try {
      stamp = stampOf(file);
      if (statSync(file).size > MAX_TOKEN_BYTES) throw new HivekeepError('config/invalid', `admin token file '${file}' is over 64 KiB`);
      text = readFileSync(file, 'utf8').trim();
    } catch (cause) {
      if (cause instanceof HivekeepError) throw cause;
      throw new HivekeepError('config/invalid', `admin token file '${file}' cannot be read: ${(cause as Error).message}`, { cause });
    }
    if (text === '') throw new HivekeepError('config/invalid', `admin token file '${file}' is empty: write the token into it`);
    this.#digest = digestOf(text);
    this.#stamp = stamp;
  }
}

/** Equal lengths for the comparison, whatever the client sends. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function stampOf(file: string): string {
  const { mtimeMs, size, ino } = statSync(file);
  return `${mtimeMs}/${size}/${ino}`;
}
