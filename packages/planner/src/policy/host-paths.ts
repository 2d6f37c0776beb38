/** A path on a node: absolute, POSIX, without `..`, whose meaning no symlink on the way can turn around. */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..');
}

/** swarmkit expands `{{…}}` in sources and driver options of mounts, from labels among others: a prefix proves nothing. */
function isTemplate(text: string): boolean {
  return text.includes('{{');
}

function clean(path: string): string {
  return `/${path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}

/** Whether an entry of `allow.hostPaths` is this path or a parent of it; purely lexical. `/` permits all. */
export function permitsPath(allowed: readonly string[], path: string): boolean {
  const wanted = clean(path);
  return allowed.some((entry) => entry === '/' || wanted === entry || wanted.startsWith(`${entry}/`));
}

/** Why a host path may not be used, or undefined when it may. A relative one is refused for everybody. */
export function refusePath(allowed: readonly string[], path: string): string | undefined {
  if (isTemplate(path) && !permitsPath(allowed, '/')) {
    return `'${path}' is a template that each task fills in anew, so nobody can tell where it leads; write the path itself`;
  }
  if (!isPlainPath(path)) return `'${path}' is not an absolute path of a node without '..'; write the full path, or use a named volume`;
  if (permitsPath(allowed, path)) return undefined;
  return `host path '${path}' is not allowed; add it to allow.hostPaths of the application, in the application set`;
}

const NETWORK_FILESYSTEMS: ReadonlySet<string> = new Set(['nfs', 'nfs4', 'cifs', 'smb3', 'tmpfs']);

/**
 * Host paths that options of a volume driver reach. The `local` driver passes `type`, `device` and `o` to mount(2): with `bind` in `o`,
 * or a type that is no network file system, the device is a path of the node, and options such as overlay's `lowerdir=` name more.
 * Of another driver every value that looks like an absolute path counts, since nobody knows what its plugin does with it. A template counts whatever it is for.
 */
export function pathsInVolumeOptions(driver: string | undefined, options: Readonly<Record<string, string>>): string[] {
  const templates = Object.values(options).filter(isTemplate);
  if (templates.length > 0) return templates;
  if (driver && driver !== 'local') return Object.values(options).filter((value) => value.startsWith('/'));
  const flags = (options.o ?? '').split(',').map((flag) => flag.trim());
  const binds = flags.some((flag) => flag === 'bind' || flag === 'rbind');
  const device = options.device ?? '';
  const usesDevice = device !== '' && (binds || !NETWORK_FILESYSTEMS.has((options.type ?? '').toLowerCase()));
  const inFlags = flags.flatMap((flag) => (flag.includes('=') ? flag.slice(flag.indexOf('=') + 1).split(':') : []));
  return [...(usesDevice ? [device] : []), ...inFlags.filter((path) => path.startsWith('/'))];
}

/** Paths of the node in options of a log driver: sockets and files the daemon itself opens. */
export function pathsInLogOptions(options: Readonly<Record<string, string>>): string[] {
  return Object.values(options).flatMap((value) => {
    const path = /^(?:unix(?:gram)?:\/\/)?(\/.*)$/.exec(value)?.[1];
    return path === undefined ? [] : [path];
  });
}
