import { type BuildResult, HivekeepError, type Spec } from '@hivekeep/contracts';
import { AppSet, type AppSetContent, type AppSetReader } from '@hivekeep/source/testing';
import { artifactOf, type Commit, type Repository, specOf, validSet } from './repository.ts';
import { isOff } from './rules.ts';
import { wallClock } from './simulated-swarm.ts';
import { Host, type VirtualTime } from './virtual-time.ts';

/** A source: the real app set over a mirror of the simulated repository that is as old as its last fetch. */
export class SimulatedSource {
  readonly host: Host;
  readonly appSet: AppSet;
  /** Whether it can ask Git. */
  reachesGit = true;
  /** Whether it can ask for the app set, which may lie in a repository of its own. */
  reachesAppSet = true;
  /** Whether the bus reaches it. */
  present = true;
  readonly #repository: Repository;
  #last: Commit | undefined;
  readonly #mirrored = new Set<string>();

  constructor(time: VirtualTime, name: string, repository: Repository) {
    this.host = new Host(time, name);
    this.#repository = repository;
    this.appSet = this.host.run(
      () => new AppSet({ reader: this.#reader(), parse: (content) => this.#parse(content), now: () => new Date(wallClock(time.now)) }),
    );
  }

  build(applications: readonly { readonly application: Spec }[]): BuildResult[] {
    return applications.map(({ application }) => {
      try {
        const { id, files } = this.#fetch();
        const content = files.get(application.name);
        if (!content) throw new HivekeepError('source/path-missing', `${application.name} has no files`);
        const { digest } = artifactOf(application.source.compose?.release ?? application.name, content);
        return { application: application.name, digest, provenance: { commit: id }, warnings: [], complete: true };
      } catch (error) {
        return { application: application.name, error: HivekeepError.from(error).toWire() };
      }
    });
  }

  #fetch(): Commit {
    if (!this.reachesGit && isOff('evidence asks the remote') && this.#last) return this.#last;
    if (!this.reachesGit) throw new HivekeepError('source/unreachable', 'git.test does not answer');
    const { head } = this.#repository;
    if (!this.reachesAppSet) return head; // what is built of it tells nothing of the set
    for (let at: Commit | undefined = head; at && !this.#mirrored.has(at.id); at = at.parent) this.#mirrored.add(at.id);
    this.#last = head;
    return head;
  }

  #reader(): AppSetReader {
    const known = (revision: string) => (this.#mirrored.has(revision) ? this.#repository.get(revision) : undefined);
    const asContent = (commit: Commit): AppSetContent => ({
      bytes: Buffer.from(JSON.stringify(commit.set ?? 'broken') + JSON.stringify([...commit.files])),
      file: `apps.yaml@${commit.id}`,
      revision: commit.id,
    });
    return {
      mode: 'git',
      source: 'git.test',
      identity: 'git.test apps.yaml',
      repoURL: 'https://git.test/all',
      newest: async () => {
        if (!this.reachesAppSet) throw new HivekeepError('source/unreachable', 'the repository of the app set does not answer');
        return asContent(this.#fetch());
      },
      earlier: async (revision) => {
        const commit = known(revision);
        return commit && asContent(commit);
      },
      descends: async (newer, older) => known(older) !== undefined && this.#repository.descends(newer, older),
    };
  }

  #parse({ revision, file }: AppSetContent): Spec[] {
    const commit = this.#repository.get(revision);
    if (commit && !commit.set && isOff('an invalid set is silence')) return specsOf(commit).slice(1);
    if (!commit?.set) throw new HivekeepError('appset/invalid', `${file} is broken`);
    return specsOf(commit);
  }
}

function specsOf(commit: Commit): Spec[] {
  return validSet(commit).map((declared) => specOf(declared, commit.files.get(declared.name)));
}
