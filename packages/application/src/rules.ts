/** Names of Docker objects and of chart repositories. */
const OBJECT_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

/** What is wrong with the name of a secret, config, volume, network or repository; undefined when nothing is. */
export function checkObjectName(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  return OBJECT_NAME.test(name)
    ? undefined
    : `${JSON.stringify(name)} is no name: expected letters, digits, ".", "_" or "-", starting with a letter or digit`;
}

/** A path without `.`, `..`, doubled or trailing slashes, as far as its text tells (Go's `path.Clean`). */
export function cleanPath(path: string): string {
  const absolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!absolute) parts.push(part);
  }
  return `${absolute ? '/' : ''}${parts.join('/')}` || '.';
}

/** What is wrong with a path inside a repository. */
export function checkRepoPath(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path.startsWith('/')) return `${JSON.stringify(path)} must be relative to the root of the repository`;
  const clean = cleanPath(path);
  return clean === '..' || clean.startsWith('../') ? `${JSON.stringify(path)} escapes the repository` : undefined;
}

/** What is wrong with a host path that releases may mount: it must be absolute and in its simplest form. */
export function checkHostPath(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return `${JSON.stringify(path)} must be absolute`;
  const simple = cleanPath(path);
  return simple === path ? undefined : `${JSON.stringify(path)} must be in its simplest form, ${JSON.stringify(simple)}`;
}

/** What is wrong with the name of an environment variable. */
export function checkVariableName(name: string): string | undefined {
  return /^[^\s=\0]+$/.test(name) ? undefined : `${JSON.stringify(name)} is no name of a variable`;
}
