import { cleanPath } from '@hivekeep/application';

/** Whether a chart is named by a path: by its first characters alone, whatever exists. `~` is no home folder. */
export function isPathReference(chart: string): boolean {
  return /^(\.\/|\.\.\/|\/|~)/.test(chart);
}

/** A path as it is written in `file`, from where `file` is named from. Absolute ones stay. */
export function resolveFrom(file: string, path: string): string {
  if (path.startsWith('/')) return cleanPath(path);
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return cleanPath(`${folder}${path}`);
}
