import { mkdir } from 'node:fs/promises';
import { run } from './run.ts';

/** What a path holds after a commit: text or bytes, a symlink, an executable, a submodule's commit; `null` removes it. */
export type GitEntry = string | Uint8Array | { symlink: string } | { executable: string } | { gitlink: string } | null;

export interface CommitOptions {
  /** `main` by default; made when it is not there. */
  branch?: string;
  message?: string;
  author?: { name: string; email: string };
  /** Author and committer time. 2026-01-01T00:00:00Z by default, so that equal commits have equal ids. */
  date?: Date;
  /** The parent, instead of the branch's newest commit; `null` for none. Moves the branch whatever it held: a force push. */
  onto?: string | null;
}

/** A bare repository on disk that commits are made in without a work tree, so that a tree may hold what no checkout would. */
export interface GitRepo {
  /** The bare repository's absolute path. */
  readonly path: string;
  /** Changes these paths on top of the parent and gives the new commit's id. */
  commit(entries: Record<string, GitEntry>, options?: CommitOptions): Promise<string>;
  /** Makes or moves a tag; with a message an annotated one. */
  tag(name: string, commit: string, message?: string): Promise<void>;
  /** Points a branch somewhere else. */
  moveBranch(branch: string, commit: string): Promise<void>;
  deleteBranch(branch: string): Promise<void>;
  /** The newest commit of a branch. */
  head(branch?: string): Promise<string>;
  /** Runs git in the repository and gives its stdout. */
  git(...args: string[]): Promise<string>;
}

/** The environment of a git that reads no configuration of this machine or user. */
export const isolatedGit: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** Makes an empty bare repository at `path` whose default branch is `main`. */
export async function createGitRepo(path: string): Promise<GitRepo> {
  await mkdir(path, { recursive: true });
  const git = (...args: string[]) => run('git', ['-C', path, ...args], { env: isolatedGit });
  await git('init', '--quiet', '--bare', '--initial-branch=main');
  await git('config', 'http.receivepack', 'true');
  await git('config', 'uploadpack.allowFilter', 'true');
  await git('config', 'uploadpack.allowAnySHA1InWant', 'true');

  const head = async (branch = 'main') => (await git('rev-parse', '--verify', `refs/heads/${branch}`)).trim();
  return {
    path,
    git,
    head,
    commit: async (entries, options = {}) => {
      const { branch = 'main', onto } = options;
      const parent = onto === undefined ? await head(branch).catch(() => null) : onto;
      await run('git', ['-C', path, 'fast-import', '--quiet', '--force'], {
        env: isolatedGit,
        input: importStream(entries, options, parent),
      });
      return head(branch);
    },
    tag: async (name, commit, message) => {
      const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
      await git(...identity, 'tag', '--force', ...(message === undefined ? [] : ['-a', '-m', message]), name, commit);
    },
    moveBranch: async (branch, commit) => void (await git('update-ref', `refs/heads/${branch}`, commit)),
    deleteBranch: async (branch) => void (await git('update-ref', '-d', `refs/heads/${branch}`)),
  };
}

/** A commit in the format of git-fast-import(1). */
function importStream(entries: Record<string, GitEntry>, options: CommitOptions, parent: string | null): Buffer {
  const { branch = 'main', message = 'Change', author = { name: 'Test', email: 'test@example.invalid' } } = options;
  const seconds = Math.floor((options.date ?? new Date('2026-01-01T00:00:00Z')).getTime() / 1000);
  const who = `${author.name} <${author.email}> ${seconds} +0000`;
  const parts: Buffer[] = [Buffer.from(`reset refs/heads/${branch}\n${parent === null ? '' : `from ${parent}\n`}\n`)];
  parts.push(Buffer.from(`commit refs/heads/${branch}\nauthor ${who}\ncommitter ${who}\n`), data(message));
  if (parent !== null) parts.push(Buffer.from(`from ${parent}\n`));
  for (const [path, entry] of Object.entries(entries)) parts.push(change(path, entry));
  return Buffer.concat(parts);
}

function change(path: string, entry: GitEntry): Buffer {
  const name = JSON.stringify(path); // fast-import's C-style quoting has the same escapes for printable names
  if (entry === null) return Buffer.from(`D ${name}\n`);
  if (typeof entry === 'string' || entry instanceof Uint8Array) return file('100644', name, entry);
  if ('symlink' in entry) return file('120000', name, entry.symlink);
  if ('executable' in entry) return file('100755', name, entry.executable);
  return Buffer.from(`M 160000 ${entry.gitlink} ${name}\n`);
}

function file(mode: string, name: string, content: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`M ${mode} inline ${name}\n`), data(content)]);
}

function data(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}
