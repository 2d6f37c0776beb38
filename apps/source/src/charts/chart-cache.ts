import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const IndexNote = z.object({
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Milliseconds since the epoch. */
  checkedAt: z.number(),
});
export type IndexNote = z.infer<typeof IndexNote>;

export interface CachedIndex extends IndexNote {
  readonly bytes: Buffer;
}

const UNUSED_MS = 30 * 24 * 60 * 60 * 1000;
/** Bytes kept at most of each kind; the longest unused go first. */
const MAX_BYTES = { indexes: 512 * 1024 ** 2, archives: 2 * 1024 ** 3 };

/** Indexes by address and archives by digest, on disk: one store for all applications, of which everything can be fetched again. */
export class ChartCache {
  readonly #indexes: string;
  readonly #archives: string;

  constructor(directory: string) {
    this.#indexes = join(directory, 'indexes');
    this.#archives = join(directory, 'archives');
  }

  async index(url: string): Promise<CachedIndex | undefined> {
    const path = this.#indexPath(url);
    try {
      const note = IndexNote.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')));
      return { ...note, bytes: await readFile(`${path}.yaml`) };
    } catch {
      return undefined; // unreadable is absent: it is fetched again
    }
  }

  /** `bytes` is left out when they are unchanged. */
  async keepIndex(url: string, note: IndexNote, bytes?: Uint8Array): Promise<void> {
    const path = this.#indexPath(url);
    await mkdir(this.#indexes, { recursive: true });
    if (bytes) await replace(`${path}.yaml`, bytes);
    await replace(`${path}.json`, JSON.stringify(note));
    await trim(this.#indexes, MAX_BYTES.indexes);
  }

  /** An archive by its sha256, checked again; one that is damaged counts as absent. */
  async archive(digest: string): Promise<Buffer | undefined> {
    const path = this.#archivePath(digest);
    try {
      const bytes = await readFile(path);
      if (createHash('sha256').update(bytes).digest('hex') !== digest) return undefined;
      const now = new Date();
      await utimes(path, now, now);
      return bytes;
    } catch {
      return undefined; // as above
    }
  }

  async keepArchive(digest: string, bytes: Uint8Array): Promise<void> {
    await mkdir(this.#archives, { recursive: true });
    await replace(this.#archivePath(digest), bytes);
    await trim(this.#archives, MAX_BYTES.archives);
  }

  #indexPath(url: string): string {
    return join(this.#indexes, createHash('sha256').update(url).digest('hex'));
  }

  #archivePath(digest: string): string {
    return join(this.#archives, `${digest}.tgz`);
  }
}

/** Removes what nobody used for long, and the longest unused of what is too much. */
async function trim(folder: string, maxBytes: number): Promise<void> {
  const files = (await Promise.all((await readdir(folder)).map((name) => describe(join(folder, name))))).flatMap((file) => file ?? []);
  const now = Date.now();
  let kept = 0;
  for (const { path, usedAt, bytes } of files.toSorted((a, b) => b.usedAt - a.usedAt)) {
    kept += bytes;
    if (now - usedAt > UNUSED_MS || kept > maxBytes) await rm(path, { force: true });
  }
}

async function describe(path: string): Promise<{ path: string; usedAt: number; bytes: number } | undefined> {
  return stat(path).then(
    ({ mtimeMs, size }) => ({ path, usedAt: mtimeMs, bytes: size }),
    () => undefined,
  );
}

/** A reader finds the old content or the new one, never half of it. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, content, { mode: 0o600 });
  await rename(temporary, path);
}
