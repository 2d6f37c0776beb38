import { HivekeepError } from '@hivekeep/contracts';
import type { Chart } from './chart.ts';
import { CHART_LIMITS } from './chart-limits.ts';
import { ChartMembers, TOP_MEMBERS } from './chart-members.ts';

export interface DirectoryEntry {
  readonly name: string;
  /** What it is itself: a link is a link, wherever it leads. */
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
}

/** A folder that a chart may be in: of a Git tree at a commit, or of a disk. Paths are relative to it, `''` is itself. */
export interface ChartDirectory {
  /** Undefined when there is no such folder. */
  list(path: string): Promise<readonly DirectoryEntry[] | undefined>;
  /** The size of a file in bytes. */
  size(path: string): Promise<number>;
  read(path: string): Promise<Uint8Array>;
}

/**
 * Loads a chart from a folder; `origin` names it in messages. Links are refused wherever they lead. Throws `chart/invalid` with every
 * problem of every file, `chart/not-found` when there is no such folder, `source/too-large`, and what the folder throws.
 */
export async function loadChartDirectory(directory: ChartDirectory, origin: string): Promise<Chart> {
  const root = await directory.list('');
  if (root === undefined) throw new HivekeepError('chart/not-found', `there is no folder ${origin}; expected a chart there`);
  const loader = new DirectoryLoader(directory, new ChartMembers(origin));
  return loader.load(root);
}

class DirectoryLoader {
  readonly #directory: ChartDirectory;
  readonly #members: ChartMembers;
  #folders = 0;

  constructor(directory: ChartDirectory, members: ChartMembers) {
    this.#directory = directory;
    this.#members = members;
  }

  async load(root: readonly DirectoryEntry[]): Promise<Chart> {
    for (const entry of root) {
      if (TOP_MEMBERS.some((member) => member === entry.name)) await this.#take(entry.name, entry);
      else if (entry.name === 'templates') await this.#folder(entry, 'templates', false);
      else if (entry.name === 'files' && entry.kind !== 'file') await this.#folder(entry, 'files', true);
    }
    if (!root.some(({ name }) => name === 'Chart.yaml'))
      this.#members.refuse('Chart.yaml', 'is missing; a chart is a folder with a Chart.yaml');
    return this.#members.chart();
  }

  async #folder(entry: DirectoryEntry, path: string, deep: boolean): Promise<void> {
    if (entry.kind !== 'directory') {
      this.#members.refuse(path, refusal(entry, 'a folder'));
      return;
    }
    this.#folders += 1;
    if (this.#folders > CHART_LIMITS.files)
      throw new HivekeepError('source/too-large', `a chart has at most ${CHART_LIMITS.files} folders`);
    for (const child of (await this.#directory.list(path)) ?? []) {
      const inner = `${path}/${child.name}`;
      if (child.kind !== 'directory') await this.#take(inner, child);
      else if (deep) await this.#folder(child, inner, true);
    }
  }

  async #take(path: string, entry: DirectoryEntry): Promise<void> {
    if (entry.kind !== 'file') {
      this.#members.refuse(path, refusal(entry, 'a file'));
      return;
    }
    this.#members.count(path, await this.#directory.size(path));
    this.#members.add(path, await this.#directory.read(path));
  }
}

function refusal({ kind }: DirectoryEntry, expected: string): string {
  return kind === 'symlink'
    ? 'is a symlink, which a chart must not have; put the content there'
    : `expected ${expected}, found something else`;
}
