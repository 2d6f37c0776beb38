import { declaredReleases, diffAppSet } from '@hivekeep/application';
import type { Spec } from '@hivekeep/contracts';
import { LIMITS } from './config.ts';
import { ApplicationEntry } from './work/application-entry.ts';

/** The applications held by one term, and those that left while work on them still ran. */
export class Registrations {
  readonly #entries = new Map<string, ApplicationEntry>();
  readonly #draining = new Set<ApplicationEntry>();

  get size(): number {
    return this.#entries.size;
  }

  all(): ApplicationEntry[] {
    return [...this.#entries.values()];
  }

  get(name: string): ApplicationEntry | undefined {
    return this.#entries.get(name);
  }

  /** Whether this very entry still stands under its name. */
  holds(entry: ApplicationEntry): boolean {
    return this.#entries.get(entry.name) === entry;
  }

  /** Who builds from a repository that has a new commit does not wait for its interval. */
  lookAnew(repoURL: string): void {
    for (const entry of this.#entries.values()) if (entry.spec.source.repoURL === repoURL) entry.lookAnew();
  }

  /** All that declare a release: by their own entry, or where that is a release file, by what was built of it last. In the order held. */
  declaring(release: string): string[] {
    const built = ({ plan }: ApplicationEntry): string[] => plan?.releases.map(({ artifact }) => artifact.name) ?? [];
    const releases = (entry: ApplicationEntry): string[] =>
      entry.spec.source.releaseFile === undefined ? declaredReleases(entry.spec) : built(entry);
    return this.all().flatMap((entry) => (releases(entry).includes(release) ? [entry.name] : []));
  }

  /** Departed applications whose work has not ended yet. */
  draining(): string[] {
    for (const entry of this.#draining) if (!entry.busy) this.#draining.delete(entry);
    return [...this.#draining].map((entry) => entry.name);
  }

  /**
   * Makes what is held what is declared: removes first, then replaces, then adds. Every removal is cancelled and waited
   * for, all together, at most 30 s.
   */
  async apply(declared: readonly Spec[]): Promise<{ readonly removed: string[]; readonly replaced: string[]; readonly added: string[] }> {
    const held = this.all().map((entry) => entry.spec);
    const { remove, replace, add } = diffAppSet(held, declared);
    const leaving = remove.flatMap((name) => this.#entries.get(name) ?? []);
    for (const entry of leaving) this.#entries.delete(entry.name);
    await Promise.all(
      leaving.map(async (entry) => {
        if (!(await entry.retire(LIMITS.drainMs))) this.#draining.add(entry);
      }),
    );
    for (const spec of replace) this.#entries.get(spec.name)?.replace(spec);
    for (const spec of add) this.#entries.set(spec.name, new ApplicationEntry(spec));
    return { removed: leaving.map((entry) => entry.name), replaced: replace.map((spec) => spec.name), added: add.map((spec) => spec.name) };
  }

  /** Cancels everything; resolves when all has ended or after `ms`, with the names of what still runs. */
  async retireAll(ms: number): Promise<string[]> {
    const all = [...this.all(), ...this.#draining];
    this.#entries.clear();
    const ended = await Promise.all(all.map(async (entry) => ((await entry.retire(ms)) ? undefined : entry.name)));
    return ended.filter((name) => name !== undefined);
  }
}
