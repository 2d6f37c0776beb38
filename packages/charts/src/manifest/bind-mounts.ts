import type { Issue } from '@hivekeep/contracts';
import type { GoMap, GoValue } from '@hivekeep/goyaml';
import { memberOf, sectionOf } from './manifest-view.ts';

/** Refuses host paths that are not absolute: a manifest has no folder that they could start at. */
export function bindProblems(document: GoMap): Issue[] {
  return sectionOf(document, 'services').flatMap(([service, entry]) => {
    const volumes = memberOf(entry, 'volumes');
    return (Array.isArray(volumes) ? volumes : []).flatMap((volume, index): Issue[] => {
      const source = bindSource(volume);
      if (source === undefined || isAbsolute(source)) return [];
      const message = `the host path ${JSON.stringify(source)} is not absolute`;
      return [{ path: `services.${service}.volumes[${index}]`, rule: 'bind-source', message }];
    });
  });
}

/** The host path of a mount; undefined for a named volume and everything else. */
function bindSource(volume: GoValue): string | undefined {
  if (typeof volume === 'string') return shortSource(volume);
  const [type, source] = [memberOf(volume, 'type'), memberOf(volume, 'source')];
  return (type === 'bind' || type === 'npipe') && typeof source === 'string' ? source : undefined;
}

/** Docker's rule for the short form: a path by its first character, or a drive letter. */
function shortSource(volume: string): string | undefined {
  const drive = /^[a-z]:/i.test(volume) ? 2 : 0;
  const colon = volume.indexOf(':', drive);
  if (colon < 0) return undefined;
  const source = volume.slice(0, colon);
  return drive > 0 || /^[./~\\]/.test(source) ? source : undefined;
}

/** On Linux, or on Windows with a drive or a share. */
function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('\\\\') || /^[a-z]:[\\/]/i.test(path);
}
