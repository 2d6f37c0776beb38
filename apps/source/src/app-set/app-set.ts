import { createHash } from 'node:crypto';
import { declaredReleases, selectForSwarm } from '@hivekeep/application';
import { type AppSetAnswer, HivekeepError, type Spec } from '@hivekeep/contracts';
import { FreshRun } from '../fresh-run.ts';
import { redactUrl } from '../git/index.ts';
import type { AppSetContent, AppSetReader } from './app-set-reader.ts';

/** Parses and validates a whole set; throws `appset/*` with every issue. */
export type AppSetParser = (content: AppSetContent) => readonly Spec[];

export interface AppSetQuestion {
  readonly home: boolean;
  readonly have?: string | undefined;
  readonly evidence: boolean;
}

export interface AppSetOptions {
  readonly reader: AppSetReader;
  readonly parse: AppSetParser;
  /** The only swarm that may take the applications without a destination; undefined: any that says it is the home one. */
  readonly homeSwarm?: string | undefined;
  readonly now: () => Date;
}

/** A set that was valid when it was loaded. */
interface LoadedSet {
  readonly applications: readonly Spec[];
  readonly byName: ReadonlyMap<string, Spec>;
  readonly digest: string;
  readonly revision: string;
  readonly loadedAt: string;
}

type Load = { readonly set: LoadedSet } | { readonly error: HivekeepError };

/**
 * The app set in memory. Every question asks where it stands; a set that is invalid or can't be read never replaces the last good
 * one, and its error is given with each answer until it is mended.
 */
export class AppSet {
  readonly #options: AppSetOptions;
  readonly #loading: FreshRun<Load>;
  #current: LoadedSet | undefined;
  #currentIsNewest = false;

  constructor(options: AppSetOptions) {
    this.#options = options;
    this.#loading = new FreshRun((begin) => {
      begin();
      return this.#loadNewest();
    });
  }

  /** Every application of the newest set, when the last load found it valid; undefined otherwise. */
  get newest(): readonly Spec[] | undefined {
    return this.#currentIsNewest ? this.#current?.applications : undefined;
  }

  /** Loads now. Throws when the newest content can't be read or is invalid. */
  async load(): Promise<readonly Spec[]> {
    const load = await this.#loading.run();
    if ('error' in load) throw load.error;
    return load.set.applications;
  }

  /**
   * What a swarm may see of the set. Throws `auth/forbidden` (not the home swarm), `source/behind` (older than what the caller has and
   * Git can't be asked) and, where evidence is asked for, `appset/stale`.
   */
  async answer(swarm: string, question: AppSetQuestion): Promise<AppSetAnswer> {
    if (question.home) this.#assertHome(swarm);
    const { reader } = this.#options;
    const load = await this.#loading.run();
    if ('set' in load) {
      const descends = question.have ? await reader.descends(load.set.revision, question.have) : undefined;
      return { ...this.#view(load.set, swarm, question.home), complete: true, ...(descends !== undefined && { descends }) };
    }
    if (question.evidence)
      throw new HivekeepError('appset/stale', `nothing is known of the newest app set: ${load.error.message}`, withIssues(load.error));
    const held = await this.#heldFor(question.have, load.error);
    const { code, message, issues } = load.error.toWire();
    return { ...this.#view(held, swarm, question.home), complete: false, error: { code, message }, ...(issues && { issues }) };
  }

  /**
   * Those of the applications that the set does not declare with their repository for the swarm that asks, each with the reason: no swarm
   * reads what belongs to another one. A set that does not know one of them is loaded once more; where that is not possible, the set may
   * just be behind the caller's (`source/behind`), and another source may know better.
   */
  async refused(swarm: string, applications: readonly Spec[]): Promise<ReadonlyMap<Spec, HivekeepError>> {
    if (applications.every((application) => this.#declares(swarm, application))) return new Map();
    const load = await this.#loading.run();
    const refused = applications.filter((application) => !this.#declares(swarm, application));
    return new Map(refused.map((application) => [application, notDeclared(swarm, application, 'error' in load ? load.error : undefined)]));
  }

  #declares(swarm: string, { name, source }: Spec): boolean {
    const declared = this.#current?.byName.get(name);
    if (declared?.source.repoURL !== source.repoURL) return false;
    const { homeSwarm } = this.#options;
    return declared.destination.swarm ? declared.destination.swarm === swarm : homeSwarm === undefined || homeSwarm === swarm;
  }

  #assertHome(swarm: string): void {
    const { homeSwarm } = this.#options;
    if (homeSwarm !== undefined && homeSwarm !== swarm)
      throw new HivekeepError('auth/forbidden', `the home swarm is ${homeSwarm}; ${swarm} must run without --home`);
  }

  async #loadNewest(): Promise<Load> {
    try {
      const content = await this.#options.reader.newest();
      this.#current = this.#parsed(content);
      this.#currentIsNewest = true;
      return { set: this.#current };
    } catch (error) {
      this.#currentIsNewest = false;
      return { error: HivekeepError.from(error) };
    }
  }

  /** A set of equal content keeps what was parsed and when; only its revision moves. */
  #parsed(content: AppSetContent): LoadedSet {
    const digest = createHash('sha256').update(content.bytes).digest('hex');
    if (this.#current?.digest === digest) return { ...this.#current, revision: content.revision };
    const applications = this.#options.parse(content);
    const byName = new Map(applications.map((spec) => [spec.name, spec]));
    return { applications, byName, digest, revision: content.revision, loadedAt: this.#options.now().toISOString() };
  }

  /** The last good set, or the caller's own revision, never an older one; undefined when nothing was ever loaded. */
  async #heldFor(have: string | undefined, failure: HivekeepError): Promise<LoadedSet | undefined> {
    if (!have || this.#options.reader.mode !== 'git') return this.#current;
    if (this.#current && (await this.#reaches(this.#current.revision, have))) return this.#current;
    const callers = await this.#loadEarlier(have);
    this.#current ??= callers;
    if (callers) return callers;
    throw new HivekeepError(
      'source/behind',
      `the caller has ${have}, which is not known here, and the newest app set can't be loaded: ${failure.message}`,
      withIssues(failure),
    );
  }

  async #reaches(newer: string, older: string): Promise<boolean> {
    return (await this.#options.reader.descends(newer, older).catch(() => false)) ?? false;
  }

  async #loadEarlier(revision: string): Promise<LoadedSet | undefined> {
    try {
      const content = await this.#options.reader.earlier(revision);
      return content && this.#parsed(content);
    } catch {
      return undefined;
    }
  }

  #view(set: LoadedSet | undefined, swarm: string, home: boolean): Omit<AppSetAnswer, 'complete'> {
    const { mode, source, identity, repoURL } = this.#options.reader;
    const all = set?.applications ?? [];
    const own = selectForSwarm(all, swarm, home);
    const isOwn = new Set(own);
    const others = all.filter((spec) => !isOwn.has(spec));
    return {
      mode,
      source,
      identity,
      ...(repoURL !== undefined && { repoURL: redactUrl(repoURL) }),
      revision: set?.revision ?? '',
      digest: set?.digest ?? '',
      ...(set && { loadedAt: set.loadedAt }),
      applications: own,
      others: others.map((spec) => ({ name: spec.name, swarm: spec.destination.swarm ?? '', releases: declaredReleases(spec) })),
    };
  }
}

function withIssues(error: HivekeepError): { cause: unknown; issues?: HivekeepError['issues'] & object } {
  return { cause: error, ...(error.issues && { issues: error.issues }) };
}

function notDeclared(swarm: string, { name }: Spec, failure: HivekeepError | undefined): HivekeepError {
  const message = `the app set declares no application ${name} with this repository for the swarm ${swarm}`;
  if (!failure) return new HivekeepError('application/unknown', message);
  return new HivekeepError('source/behind', `${message}, and the newest one can't be loaded: ${failure.message}`, withIssues(failure));
}
