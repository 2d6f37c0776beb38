import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProgram } from './run-program.ts';

/** A Git repository with a work tree, as a person would have it. */
export class DemoRepository {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes it with these files in one commit on `main`. */
  static async create(path: string, files: Readonly<Record<string, string>>): Promise<DemoRepository> {
    await mkdir(path, { recursive: true });
    const repository = new DemoRepository(path);
    await repository.#git('init', '--quiet');
    await repository.#git('symbolic-ref', 'HEAD', 'refs/heads/main');
    await repository.#git('config', 'user.name', 'Hivekeep demo');
    await repository.#git('config', 'user.email', 'demo@example.invalid');
    await repository.#git('config', 'commit.gpgsign', 'false');
    await repository.commit('Begin the demo', files);
    return repository;
  }

  /** Writes files and commits them; gives the commit's id. */
  async commit(subject: string, files: Readonly<Record<string, string>>): Promise<string> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, name)), { recursive: true });
      await writeFile(join(this.path, name), content);
    }
    await this.#git('add', '--all');
    await this.#git('commit', '--quiet', '--message', subject);
    return (await this.#git('rev-parse', 'HEAD')).trim();
  }

  read(name: string): Promise<string> {
    return readFile(join(this.path, name), 'utf8');
  }

  #git(...args: string[]): Promise<string> {
    return runProgram('git', args, this.path);
  }
}
