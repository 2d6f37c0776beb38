import { createHash } from 'node:crypto';
import { Artifact, type BuildResult, canonicalJson, HivekeepError, type Provenance, type Spec, type Warning } from '@hivekeep/contracts';
import { type Artifacts, SharedSlots, within } from '@hivekeep/runtime';
import type { Builder, BuildRequest } from '../seams/builder.ts';
import type { AskedRepository, Fetcher, Repository, Tree } from '../seams/fetcher.ts';
import { sourceMetrics } from '../source-metrics.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { ChartRenderer, RemoteChart } from './render-charts.ts';
import type { ComposeRenderer } from './render-compose.ts';
import type { Rendered } from './rendered.ts';

export interface BuilderOptions {
  readonly fetcher: Fetcher;
  readonly renderer: ComposeRenderer;
  readonly charts: ChartRenderer;
  readonly artifacts: Pick<Artifacts, 'put'>;
  /** After this many milliseconds an application that is not built yet gets an error; its fetch goes on. */
  readonly answerWithinMs: number;
}

/** What a build made of the content it read: the same at every commit where that content is the same. */
type Outcome = { readonly digest: string; readonly warnings: readonly Warning[] } | { readonly error: HivekeepError };

interface Built {
  readonly outcome: Outcome;
  readonly reads: ReadonlyMap<string, string>;
  /** Charts of repositories, as they were. */
  readonly remotes: readonly RemoteChart[];
  /** The newest commit at which `reads` was found unchanged. */
  commit: string;
}

const MAX_KEPT = 5_000;
/** Few at once of a swarm, so that a batch leaves room for whatever else runs in the process; the total is what its memory allows. */
const RENDERING_AT_ONCE = { perOwner: 4, total: 8 };
const MAX_ARTIFACT_BYTES = 32 * 1024 * 1024;

/** Builds applications into artifacts. What an application does not read costs it nothing. */
export class ArtifactBuilder implements Builder {
  readonly #options: BuilderOptions;
  readonly #built = new BoundedCache<string, Built>(MAX_KEPT);
  readonly #rendering = new SharedSlots(RENDERING_AT_ONCE);

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  async build(swarm: string, requests: readonly BuildRequest[], signal: AbortSignal): Promise<BuildResult[]> {
    const answers = new Map<string, Promise<Asked>>();
    const repository = (url: string): Promise<Asked> => {
      const known = answers.get(url) ?? this.#ask(url);
      answers.set(url, known);
      return known;
    };
    return Promise.all(
      requests.map(async (request): Promise<BuildResult> => {
        const { name, source } = request.application;
        const late = () =>
          new HivekeepError('source/timeout', `${name} was not built within ${this.#options.answerWithinMs} ms; the fetch goes on`);
        const ended = sourceMetrics.build.startTimer();
        try {
          const work = repository(source.repoURL).then((asked) => this.#buildOne(swarm, request, asked));
          const result = await within(work, { ms: this.#options.answerWithinMs, signal, late });
          sourceMetrics.builds.inc({ outcome: 'error' in result ? result.error.code : 'ok' });
          return result;
        } catch (error) {
          sourceMetrics.builds.inc({ outcome: HivekeepError.from(error).code });
          return { application: name, error: HivekeepError.from(error).toWire() };
        } finally {
          ended();
        }
      }),
    );
  }

  async secretContents(swarm: string, spec: Spec, commit: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { fetcher } = this.#options;
    const repository = await fetcher.repository(spec.source.repoURL);
    if (!(await repository.has(commit))) await (await fetcher.ask(spec.source.repoURL)).commitOf(commit);
    const { secretContents } = await this.#render(swarm, spec, repository.tree(commit), []);
    const lost = names.filter((name) => !secretContents.has(name));
    if (lost.length > 0)
      throw new HivekeepError(
        'artifact/missing',
        `at ${commit.slice(0, 12)} the application ${spec.name} makes no secret named ${lost.join(', ')}`,
      );
    return new Map([...secretContents].filter(([name]) => names.includes(name)));
  }

  async #ask(repoURL: string): Promise<Asked> {
    return { repository: await this.#options.fetcher.ask(repoURL), details: new Map() };
  }

  async #buildOne(swarm: string, { application, lost }: BuildRequest, { repository, details }: Asked): Promise<BuildResult> {
    const commit = await repository.commitOf(application.source.revision);
    const outcome = await this.#outcome(swarm, application, repository, commit, lost);
    if ('error' in outcome) throw outcome.error;
    const provenance = details.get(commit) ?? repository.provenance(commit);
    details.set(commit, provenance);
    return {
      application: application.name,
      digest: outcome.digest,
      provenance: await provenance,
      warnings: [...outcome.warnings],
      complete: true,
    };
  }

  async #outcome(swarm: string, spec: Spec, repository: Repository, commit: string, lost: string | undefined): Promise<Outcome> {
    const key = keyOf(swarm, spec);
    const known = this.#built.get(key);
    if (known && !isLost(known.outcome, lost) && (await this.#isCurrent(known, repository, commit))) {
      known.commit = commit;
      return known.outcome;
    }
    const tree = repository.tree(commit);
    const remotes: RemoteChart[] = [];
    const outcome = await this.#rendering.run(swarm, () => this.#make(swarm, spec, tree, remotes));
    this.#built.set(key, { outcome, reads: tree.reads, remotes, commit });
    return outcome;
  }

  /** Whether all that was read is the same now. A repository that can't be asked has said nothing new. */
  async #isCurrent(known: Built, repository: Repository, commit: string): Promise<boolean> {
    if (known.commit !== commit && !(await repository.isUnchanged(commit, known.reads))) return false;
    const same = await Promise.all(known.remotes.map((remote) => this.#options.charts.isUnchanged(remote).catch(() => true)));
    return same.every(Boolean);
  }

  /** A failure that lies in the content is an outcome too; one that may pass is thrown. */
  async #make(swarm: string, spec: Spec, tree: Tree, remotes: RemoteChart[]): Promise<Outcome> {
    sourceMetrics.renders.inc();
    try {
      const { releases, warnings } = await this.#render(swarm, spec, tree, remotes);
      const artifact: Artifact = { format: 'hivekeep.artifact/v1', releases: [...releases], warnings: [...warnings] };
      return { digest: await this.#store(artifact), warnings };
    } catch (error) {
      if (error instanceof HivekeepError && LASTING.test(error.code)) return { error };
      throw error;
    }
  }

  #render(swarm: string, spec: Spec, tree: Tree, remotes: RemoteChart[]): Promise<Rendered> {
    const { compose } = spec.source;
    if (compose) return this.#options.renderer.render({ spec, swarm, tree }, compose);
    return this.#options.charts.render({ spec, swarm, tree }, (remote) => remotes.push(remote));
  }

  async #store(artifact: Artifact): Promise<string> {
    const bytes = Buffer.from(canonicalJson(artifact));
    if (bytes.length > MAX_ARTIFACT_BYTES)
      throw new HivekeepError('artifact/too-large', `the artifact has ${bytes.length} bytes; at most ${MAX_ARTIFACT_BYTES} are stored`);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await this.#options.artifacts.put(digest, bytes);
    return digest;
  }
}

interface Asked {
  readonly repository: AskedRepository;
  readonly details: Map<string, Promise<Provenance>>;
}

/** Codes of failures that only another content or another spec mends. */
const LASTING = /^(compose\/|yaml\/|chart\/invalid|artifact\/too-large|source\/(invalid|path-missing|refused|too-large|unsupported))/;

function isLost(outcome: Outcome, lost: string | undefined): boolean {
  return 'digest' in outcome && outcome.digest === lost;
}

/** All of a spec that decides what is made of equal files; the revision only says where they are. */
function keyOf(swarm: string, { name, source, strict }: Spec): string {
  const { revision: _, ...definition } = source;
  return createHash('sha256').update(canonicalJson({ swarm, name, definition, strict })).digest('base64');
}
