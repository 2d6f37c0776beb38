import { createHash } from 'node:crypto';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { MAX_APP_SET_BYTES } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import type { AppSetContent, AppSetReader } from './app-set-reader.ts';

/** An app set in a file of this machine: mounted (`static`), or in a folder that a sidecar keeps current (`path`). */
export class FileAppSet implements AppSetReader {
  readonly mode: 'static' | 'path';
  readonly source: string;
  readonly identity: string;
  readonly repoURL = undefined;
  readonly #root: string;
  readonly #path: string;

  private constructor(mode: 'static' | 'path', root: string, path: string) {
    this.mode = mode;
    this.#root = root;
    this.#path = path;
    this.source = join(root, path);
    this.identity = this.source;
  }

  /** The file as it is mounted. */
  static mounted(file: string): FileAppSet {
    return new FileAppSet('static', dirname(file), basename(file));
  }

  /** `path` below `directory`, whose writer publishes by rename. */
  static inDirectory(directory: string, path: string): FileAppSet {
    return new FileAppSet('path', directory, path);
  }

  async newest(): Promise<AppSetContent> {
    const bytes = await readLimited(await this.#contained(), this.source);
    return { bytes, file: this.source, revision: createHash('sha256').update(bytes).digest('hex') };
  }

  async earlier(): Promise<undefined> {
    return undefined;
  }

  async descends(newer: string, older: string): Promise<boolean | undefined> {
    return newer === older ? true : undefined;
  }

  /** The file's real path, which must lie below the root's. */
  async #contained(): Promise<string> {
    const [root, file] = await Promise.all([realpath(this.#root), realpath(join(this.#root, this.#path))]).catch((cause: unknown) => {
      throw notFound(this.source, cause);
    });
    if (file.startsWith(root.endsWith(sep) ? root : root + sep)) return file;
    throw new HivekeepError('appset/invalid', `the app set ${this.source} is a link that leads outside ${this.#root}`);
  }
}

async function readLimited(path: string, display: string): Promise<Buffer> {
  const file = await open(path, 'r').catch((cause: unknown) => {
    throw notFound(display, cause);
  });
  try {
    if (!(await file.stat()).isFile()) throw new HivekeepError('appset/not-found', `the app set ${display} is no file`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, end: MAX_APP_SET_BYTES })) {
      chunks.push(chunk as Buffer); // a stream without an encoding gives buffers
      size += (chunk as Buffer).length;
    }
    if (size > MAX_APP_SET_BYTES) throw tooLarge(display);
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

function notFound(display: string, cause: unknown): HivekeepError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
  return new HivekeepError('appset/not-found', `the app set ${display} can't be read (${code})`, { cause });
}

/** The refusal of an app set over the limit. */
export function tooLarge(display: string): HivekeepError {
  return new HivekeepError('appset/too-large', `the app set ${display} has more than ${MAX_APP_SET_BYTES} bytes`);
}
