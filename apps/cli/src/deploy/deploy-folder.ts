import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';

/** The folder of an installation. Secrets are files of mode 0600 below `secrets`, and are made once. */
export class DeployFolder {
  readonly path: string;
  /** What was written, relative to the folder. */
  readonly written: string[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /** A file's text; undefined when there is none. Throws `config/invalid` when it can't be read. */
  async read(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.path, name), 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new HivekeepError('config/invalid', `${name} cannot be read: ${(cause as Error).message}`, { cause });
    }
  }

  /** A file that is made new whenever its content changes. */
  async write(name: string, content: string, mode = 0o644): Promise<void> {
    if ((await this.read(name)) === content) return;
    const file = join(this.path, name);
    const temporary = `${file}.${randomBytes(4).toString('hex')}.new`;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(temporary, content, { mode });
    await rename(temporary, file);
    this.written.push(name);
  }

  /** A secret that stays what it is once it is there: gives it, and whether it was made now. */
  async secret(name: string, make: () => string | Promise<string>): Promise<string> {
    const present = await this.read(`secrets/${name}`);
    if (present !== undefined) return present;
    const made = await make();
    await this.write(`secrets/${name}`, made, 0o600);
    return made;
  }
}
