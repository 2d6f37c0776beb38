import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HivekeepError, type Provenance } from '@hivekeep/contracts';
import { FreshRun } from '../fresh-run.ts';
import { parseCommitDetails } from './commit-details.ts';
import type { Credential } from './credentials.ts';
import { looksCorrupt, translateGitFailure } from './git-errors.ts';
import type { GitLimits } from './git-limits.ts';
import { CorruptRepository, type ObjectInfo, ObjectReader } from './object-reader.ts';
import { parseRemoteRefs, pickRevision, type RemoteRefs } from './remote-refs.ts';
import type { RepositoryUrl } from './repository-url.ts';
import { type GitOutcome, gitEnvironment, runGit } from './run-git.ts';

export interface MirrorOptions {
  readonly directory: string;
  readonly url: RepositoryUrl;
  readonly credential: Credential;
  readonly limits: GitLimits;
  /** Runs a network command when there is room for one more to this host. */
  readonly network: <T>(command: () => Promise<T>) => Promise<T>;
  /** Ends every command when the service stops. */
  readonly signal: AbortSignal;
}

/**
 * Redirects are off because git sends the header of the first host to the one it is redirected to. Packs are never unpacked,
 * so that the pack folder alone tells the size.
 */
const NETWORK_OPTIONS = [
  ...['-c', 'http.followRedirects=false', '-c', 'http.lowSpeedLimit=1000', '-c', 'http.lowSpeedTime=20'],
  ...['-c', 'protocol.version=2', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false', '-c', 'fetch.unpackLimit=1'],
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'submodule.recurse=false'],
];
const ALL_REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
const SIZE_CHECK_MS = 250;
const LOCAL_TIMEOUT_MS = 60_000;
const GC_TIMEOUT_MS = 300_000;

/** A bare copy of one repository as one credential sees it. It has no work tree; files are read as objects at a commit. */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #reader: ObjectReader;
  readonly #asking: FreshRun<RemoteRefs>;
  #fetching: Promise<void> | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#reader = new ObjectReader(options.directory);
    this.#asking = new FreshRun((begin) =>
      options.network(() => {
        begin();
        return this.#lsRemote();
      }),
    );
  }

  /** The address for people. */
  get display(): string {
    return this.#options.url.display;
  }

  /**
   * Asks the remote for its branches and tags. Callers share a question that has not been sent yet, never one under way:
   * an answer is always newer than the call. Throws `source/auth`, `source/unreachable`, `source/timeout`, `source/refused`.
   */
  ask(): Promise<RemoteRefs> {
    return this.#asking.run();
  }

  /**
   * The commit a revision names, which is in the mirror afterwards; fetches only when it is not there yet.
   * Throws `source/revision-unknown` and what `ask` throws, and `source/too-large`.
   */
  async commitOf(revision: string, refs: RemoteRefs): Promise<string> {
    const wanted = pickRevision(revision, refs, this.display);
    for (const step of [undefined, () => this.#fetchUnderWay(), () => this.#fetch(), () => this.#fetchPinned(wanted)]) {
      await step?.();
      const found = await this.#commitAt(wanted);
      if (found !== undefined) return found;
    }
    throw new HivekeepError('source/revision-unknown', `${this.display} has no commit ${wanted}`);
  }

  /** Whether the commit is here, without asking anyone. */
  async has(commit: string): Promise<boolean> {
    return (await this.#commitAt(commit)) !== undefined;
  }

  /** Whether `ancestor` is `commit` or stands in its history; a commit that is not in this complete mirror does not. */
  async descends(commit: string, ancestor: string): Promise<boolean> {
    if (commit === ancestor) return true;
    if (!(await this.has(ancestor)) || !(await this.has(commit))) return false;
    const outcome = await this.#local(['merge-base', '--is-ancestor', ancestor, commit]);
    return outcome.exitCode === 0;
  }

  async provenance(commit: string): Promise<Provenance> {
    return parseCommitDetails(commit, await this.content(commit));
  }

  /** What a path is at a commit, symlinks inside the tree followed. */
  info(commit: string, path: string): Promise<ObjectInfo> {
    return this.#reading(() => this.#reader.info(`${commit}:${path}`));
  }

  /** What an object is, by its id. */
  object(id: string): Promise<ObjectInfo> {
    return this.#reading(() => this.#reader.info(id));
  }

  /** The bytes of an object; the caller has checked its size. */
  content(id: string): Promise<Buffer> {
    return this.#reading(() => this.#reader.content(id));
  }

  /** The first part of a path that is a submodule at the commit. */
  async submoduleOn(commit: string, path: string): Promise<string | undefined> {
    const parts = path.split('/');
    const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    const outcome = await this.#local(['--literal-pathspecs', 'ls-tree', '-z', commit, '--', ...prefixes]);
    const entry = outcome.stdout
      .toString('utf8')
      .split('\0')
      .find((line) => line.startsWith('160000 '));
    return entry?.split('\t')[1];
  }

  /** Packs what many fetches left behind; git decides whether it is worth it. */
  async maintain(): Promise<void> {
    if (this.#fetching || !(await this.#exists())) return;
    await this.#local(['-c', 'gc.autoDetach=false', 'gc', '--auto', '--quiet'], GC_TIMEOUT_MS);
  }

  /** Ends the reading process. The mirror can be used again. */
  close(): void {
    this.#reader.close();
  }

  /** Deletes the folder. */
  async remove(): Promise<void> {
    this.close();
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  async #lsRemote(): Promise<RemoteRefs> {
    const args = ['ls-remote', '--quiet', '--heads', '--tags', '--', this.#options.url.url];
    const { outcome, secrets } = await this.#overNetwork(args, this.#options.limits.askTimeoutMs, this.#options.signal);
    if (outcome.exitCode !== 0) throw translateGitFailure(outcome, this.display, secrets);
    return parseRemoteRefs(outcome.stdout.toString('utf8'));
  }

  async #overNetwork(args: readonly string[], timeoutMs: number, signal: AbortSignal, gitDir?: string) {
    const credential = await this.#options.credential.open();
    try {
      const env = gitEnvironment(credential.env);
      const outcome = await runGit({
        args: [...NETWORK_OPTIONS, ...args],
        env,
        timeoutMs,
        signal,
        ...(gitDir !== undefined && { gitDir }),
      });
      return { outcome, secrets: credential.secrets };
    } catch (error) {
      throw HivekeepError.is(error, 'source/timeout') ? new HivekeepError('source/timeout', `${this.display}: ${error.message}`) : error;
    } finally {
      await credential.close();
    }
  }

  async #fetchUnderWay(): Promise<void> {
    await this.#fetching?.catch(() => undefined);
  }

  async #fetchPinned(commit: string): Promise<void> {
    while (this.#fetching) await this.#fetchUnderWay();
    await this.#fetch([`+${commit}:refs/hivekeep/pins/${commit}`]);
  }

  /** One fetch at a time; who comes while one is under way shares it. */
  #fetch(refspecs?: readonly string[]): Promise<void> {
    this.#fetching ??= this.#options
      .network(() => this.#fetchOrRemake(refspecs ?? ALL_REFS, refspecs !== undefined))
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  async #fetchOrRemake(refspecs: readonly string[], pinned: boolean): Promise<void> {
    let { outcome, secrets } = await this.#fetchOnce(refspecs);
    if (outcome.exitCode !== 0 && looksCorrupt(outcome.stderr)) {
      await this.remove();
      ({ outcome, secrets } = await this.#fetchOnce(refspecs));
    }
    // A server that does not give out a commit by its id says so in many ways; that it is missing is said by the caller.
    if (outcome.exitCode !== 0 && !pinned) throw translateGitFailure(outcome, this.display, secrets);
  }

  async #fetchOnce(refspecs: readonly string[]) {
    const { directory, limits, signal, url } = this.#options;
    await this.#initialise();
    const oversize = new AbortController();
    const watch = setInterval(() => {
      void packBytes(directory).then((bytes) => {
        if (bytes > limits.maxRepositoryBytes) oversize.abort(this.#tooLarge());
      });
    }, SIZE_CHECK_MS);
    try {
      const args = ['fetch', '--quiet', '--force', '--prune', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
      const result = await this.#overNetwork(
        [...args, '--', url.url, ...refspecs],
        limits.fetchTimeoutMs,
        AbortSignal.any([signal, oversize.signal]),
        directory,
      );
      if ((await packBytes(directory)) > limits.maxRepositoryBytes) throw this.#tooLarge();
      return result;
    } catch (error) {
      if (HivekeepError.is(error, 'source/too-large')) await this.remove();
      throw error;
    } finally {
      clearInterval(watch);
      await removePartialPacks(directory);
    }
  }

  #tooLarge(): HivekeepError {
    return new HivekeepError(
      'source/too-large',
      `${this.display} is larger than ${this.#options.limits.maxRepositoryBytes} bytes; its mirror was removed`,
    );
  }

  async #initialise(): Promise<void> {
    if (await this.#exists()) return;
    await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
    const outcome = await this.#local(['init', '--quiet', '--bare', '--template=', this.#options.directory]);
    if (outcome.exitCode !== 0)
      throw new HivekeepError('internal', `the mirror of ${this.display} could not be made`, { cause: new Error(outcome.stderr) });
  }

  async #commitAt(id: string): Promise<string | undefined> {
    if (!(await this.#exists())) return undefined;
    const info = await this.#reading(() => this.#reader.info(`${id}^{commit}`));
    return info.kind === 'object' && info.type === 'commit' ? info.id : undefined;
  }

  /** A damaged mirror is made anew, once. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CorruptRepository)) throw error;
      await this.#fetchUnderWay();
      await this.remove();
      await this.#fetch();
      return read();
    }
  }

  async #exists(): Promise<boolean> {
    return stat(join(this.#options.directory, 'HEAD')).then(
      () => true,
      () => false,
    );
  }

  #local(args: readonly string[], timeoutMs = LOCAL_TIMEOUT_MS): Promise<GitOutcome> {
    const { directory, signal } = this.#options;
    return runGit({ args, gitDir: directory, env: gitEnvironment(), timeoutMs, signal });
  }
}

/** Size of the pack folder, files being received included; 0 when there is none. */
async function packBytes(directory: string): Promise<number> {
  const folder = join(directory, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What a fetch that was cut or ended leaves behind. */
async function removePartialPacks(directory: string): Promise<void> {
  const folder = join(directory, 'objects', 'pack');
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter((name) => name.startsWith('tmp_')).map((name) => rm(join(folder, name), { force: true })));
}
