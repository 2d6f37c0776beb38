/** A path with `.` and `..` resolved as far as it goes, as Go's `filepath.Clean` does. */
export function cleanPath(path: string): string {
  const rooted = path.startsWith('/');
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
    else if (part !== '..' || !rooted) out.push(part);
  }
  return `${rooted ? '/' : ''}${out.join('/')}` || '.';
}

/** A path of a compose file as the reader takes it: relative ones start at the folder of the first file. */
export function joinPath(folder: string, path: string): string {
  if (path.startsWith('/')) return path;
  return cleanPath(folder === '' ? path : `${folder}/${path}`);
}

/** The folder of a path; empty for a path without one. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : slash === 0 ? '/' : path.slice(0, slash);
}
