import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CHART_LIMITS, type Chart, type ChartDirectory, type DirectoryEntry, loadChartArchive, loadChartDirectory } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';

/** A chart of this machine: a folder or a `.tgz`. Throws what the loaders throw, and `usage/invalid` when there is nothing. */
export async function loadChart(path: string): Promise<Chart> {
  const found = await stat(path).catch((cause: Error) => {
    throw new HivekeepError('usage/invalid', `'${path}' cannot be read: ${cause.message}; expected the folder or the .tgz of a chart`, {
      cause,
    });
  });
  if (found.isDirectory()) return loadChartDirectory(diskDirectory(path), path);
  if (found.size > CHART_LIMITS.archiveBytes)
    throw new HivekeepError('source/too-large', `${path} has ${found.size} bytes; an archive has at most ${CHART_LIMITS.archiveBytes}`);
  return loadChartArchive(await readFile(path), path);
}

function diskDirectory(root: string): ChartDirectory {
  return {
    list: async (path) => {
      const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => undefined);
      return entries?.map((entry): DirectoryEntry => ({ name: entry.name, kind: kindOf(entry) }));
    },
    size: async (path) => (await lstat(join(root, path))).size,
    read: (path) => readFile(join(root, path)),
  };
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): DirectoryEntry['kind'] {
  if (entry.isSymbolicLink()) return 'symlink';
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}
