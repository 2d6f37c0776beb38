import type { Service, ServiceVolume } from '../model.ts';
import type { Path, Problems } from '../problems.ts';
import type { Environment } from './interpolate.ts';
import { cleanPath } from './paths.ts';

export interface BindOptions {
  readonly env: Environment;
  /** The absolute folder that relative sources start at. Without it they stay as they are, and whoever applies refuses them. */
  readonly workingDir: string | undefined;
}

/** The service's mounts with bind sources resolved: `~` is the caller's HOME, relative ones start at the working folder. */
export function resolveBinds(
  volumes: readonly ServiceVolume[],
  options: BindOptions,
  path: Path,
  problems: Problems,
): NonNullable<Service['volumes']> {
  return volumes.map((volume, index) => {
    if (volume.type !== 'bind') return volume;
    if (!volume.source) {
      problems.add([...path, index], 'a bind mount needs a source');
      return volume;
    }
    return { ...volume, source: resolveSource(volume.source, options, [...path, index], problems) };
  });
}

function resolveSource(source: string, { env, workingDir }: BindOptions, path: Path, problems: Problems): string {
  const home = Object.hasOwn(env, 'HOME') ? env.HOME : undefined;
  if (source.startsWith('~') && home === undefined) problems.warn('no-home', path, '~ stays as it is: the environment has no HOME');
  const expanded = source.startsWith('~') && home !== undefined ? source.replace('~', () => home) : source;
  if (workingDir === undefined || isAbsolute(expanded)) return expanded;
  return cleanPath(`${workingDir}/${expanded}`);
}

/** Absolute on Linux, or on Windows with a drive (`C:\`, `c:/`) or a share (`\\host\share\`). */
function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[a-zA-Z]:[\\/]/.test(path) || /^[\\/]{2}[^\\/.][^\\/]*[\\/][^\\/.][^\\/]*[\\/]/.test(path);
}
