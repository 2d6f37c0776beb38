import {
  archiveUrl,
  CHART_LIMITS,
  checkDigest,
  digestOf,
  findVersion,
  type IndexEntry,
  publishedDigest,
  type RepositoryIndex,
  readRepositoryIndex,
  sameChartVersion,
} from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import { BoundedCache } from '../build/bounded-cache.ts';
import type { ChartCache, IndexNote } from './chart-cache.ts';
import { type ChartUrlPolicy, checkChartUrl, displayUrl } from './chart-url-policy.ts';
import { fetchChartFile } from './fetch-chart-file.ts';

export interface ChartRepositoriesOptions {
  readonly cache: ChartCache;
  readonly policy: ChartUrlPolicy;
  /** How old what is known of a repository may be. */
  readonly maxAgeMs: number;
  /** For one try of one request. */
  readonly timeoutMs: number;
  /** Ends every request when the service stops. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Told when a repository can't be asked and what was known before is used. */
  readonly onStale: (repository: string, error: HivekeepError) => void;
}

export interface WantedChart {
  /** Its name in the file that declares it. */
  readonly repository: string;
  readonly url: string;
  readonly chart: string;
  readonly version: string;
}

/** A version of a chart as its repository has it now. */
export interface LocatedChart {
  readonly entry: IndexEntry;
  readonly url: string;
  /** sha256 that the repository publishes. */
  readonly digest: string | undefined;
  /** Equal while the repository says the same of this version. */
  readonly identity: string;
}

interface KnownIndex {
  readonly index: RepositoryIndex;
  readonly checkedAt: number;
}

const KEPT_INDEXES = 50;
/** A version that is missing, and a repository that failed, are looked for again when what is known is older than this. */
const RECENT_MS = 30_000;

/** Chart repositories over https: one store by address for all applications, asked again only when what is known has aged. */
export class ChartRepositories {
  readonly #options: ChartRepositoriesOptions;
  readonly #known = new BoundedCache<string, KnownIndex>(KEPT_INDEXES);
  readonly #failed = new BoundedCache<string, { readonly at: number; readonly error: unknown }>(KEPT_INDEXES);
  readonly #asking = new Map<string, Promise<KnownIndex>>();

  constructor(options: ChartRepositoriesOptions) {
    this.#options = options;
  }

  /**
   * Finds an exact version. Throws `chart/not-found`, `chart/invalid` for an index that can't be read and a digest that is none,
   * `source/refused`, and what fetching throws when nothing is known of the repository.
   */
  async locate(wanted: WantedChart): Promise<LocatedChart> {
    const { maxAgeMs } = this.#options;
    try {
      return this.#find(wanted, await this.#index(wanted.url, maxAgeMs));
    } catch (error) {
      if (!HivekeepError.is(error, 'chart/not-found')) throw error;
      return this.#find(wanted, await this.#index(wanted.url, Math.min(maxAgeMs, RECENT_MS)));
    }
  }

  /** The archive, from the cache or the network, checked against the published digest. Without one it is taken as it comes. */
  async archive({ url, digest }: LocatedChart): Promise<Buffer> {
    const display = displayUrl(new URL(url));
    const cached = digest === undefined ? undefined : await this.#options.cache.archive(digest);
    if (cached) return cached;
    const fetched = await fetchChartFile(url, { ...this.#fetching(), maxBytes: CHART_LIMITS.archiveBytes });
    if (fetched.kind !== 'content') throw new HivekeepError('source/unreachable', `${display} answers that it is unchanged, unasked`);
    if (digest !== undefined) {
      checkDigest(fetched.body, digest, display);
      await this.#options.cache.keepArchive(digest, fetched.body);
    }
    return fetched.body;
  }

  #find(wanted: WantedChart, { index }: KnownIndex): LocatedChart {
    const entry = findVersion(index, wanted, sameChartVersion);
    const url = archiveUrl(wanted.url, entry);
    const origin = `${wanted.chart} ${entry.version}`;
    if (entry.url === '') throw new HivekeepError('chart/invalid', `the repository ${wanted.repository} names no archive of ${origin}`);
    checkChartUrl(url, this.#options.policy);
    const digest = publishedDigest(entry.digest, origin);
    return { entry, url, digest, identity: digest ?? digestOf(Buffer.from(JSON.stringify([url, entry.version]))) };
  }

  async #index(url: string, maxAgeMs: number): Promise<KnownIndex> {
    const isRecent = (at: number, ms: number) => this.#options.now() - at < ms;
    const known = this.#known.get(url);
    if (known && isRecent(known.checkedAt, maxAgeMs)) return known;
    const failed = this.#failed.get(url);
    if (failed && isRecent(failed.at, Math.min(maxAgeMs, RECENT_MS))) throw failed.error;
    const asking = this.#asking.get(url) ?? this.#ask(url, maxAgeMs).finally(() => this.#asking.delete(url));
    this.#asking.set(url, asking);
    return asking;
  }

  /** A failure is remembered for a while, so that one repository that does not answer costs many applications its wait once. */
  async #ask(url: string, maxAgeMs: number): Promise<KnownIndex> {
    try {
      const index = await this.#refresh(url, maxAgeMs);
      this.#known.set(url, index);
      return index;
    } catch (error) {
      this.#failed.set(url, { at: this.#options.now(), error });
      throw error;
    }
  }

  async #refresh(url: string, maxAgeMs: number): Promise<KnownIndex> {
    const { cache, now, onStale } = this.#options;
    const display = displayUrl(checkChartUrl(url, this.#options.policy));
    const parse = (bytes: Uint8Array) => readRepositoryIndex(bytes, `${display}/index.yaml`);
    const cached = await readableIndex(cache, url, parse);
    if (cached && now() - cached.checkedAt < maxAgeMs) return cached;
    try {
      const address = `${url.replace(/\/+$/, '')}/index.yaml`;
      const fetched = await fetchChartFile(address, { ...this.#fetching(), maxBytes: CHART_LIMITS.indexBytes, known: cached?.note });
      const checkedAt = now();
      if (fetched.kind === 'content') {
        const index = parse(fetched.body); // one that can't be read never replaces a good one
        await cache.keepIndex(url, { ...fetched.validators, checkedAt }, fetched.body);
        return { index, checkedAt };
      }
      if (!cached) throw new HivekeepError('source/unreachable', `${display} answers that its index is unchanged, unasked`);
      await cache.keepIndex(url, { ...cached.note, checkedAt });
      return { index: cached.index, checkedAt };
    } catch (thrown) {
      const error = HivekeepError.from(thrown);
      if (!cached || HivekeepError.is(error, 'source/refused', 'cancelled')) throw error;
      onStale(display, error);
      return { index: cached.index, checkedAt: now() };
    }
  }

  #fetching() {
    const { policy, timeoutMs, signal } = this.#options;
    return { policy, timeoutMs, signal };
  }
}

/** What the disk has of an index; one that is damaged counts as absent. */
async function readableIndex(
  cache: ChartCache,
  url: string,
  parse: (bytes: Uint8Array) => RepositoryIndex,
): Promise<(KnownIndex & { readonly note: IndexNote }) | undefined> {
  const cached = await cache.index(url);
  if (!cached) return undefined;
  const { bytes, ...note } = cached;
  try {
    return { index: parse(bytes), checkedAt: note.checkedAt, note };
  } catch (error) {
    if (!HivekeepError.is(error, 'chart/invalid')) throw error;
    return undefined;
  }
}
