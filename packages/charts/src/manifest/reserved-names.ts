import type { Issue } from '@hivekeep/contracts';
import { GoMap, type GoValue, keyText } from '@hivekeep/goyaml';
import { memberOf, sectionOf } from './manifest-view.ts';

/** What makes a config a release record: no chart may make one. */
const LABEL_PREFIX = 'com.swarmcli.';
const NAME_PREFIX = 'swarmcli.release.';

/** Refuses configs and secrets that would look like release records: by a label, or by a name that the swarm would see. */
export function reservedProblems(document: GoMap, stack: string): Issue[] {
  return (['configs', 'secrets'] as const).flatMap((section) =>
    sectionOf(document, section).flatMap(([key, entry]) => {
      const path = `${section}.${key}`;
      const labels = labelNames(memberOf(entry, 'labels')).filter((label) => label.startsWith(LABEL_PREFIX));
      const names = swarmNames(key, entry, stack).filter((name) => name.toLowerCase().startsWith(NAME_PREFIX));
      return [
        ...labels.map((label) => ({ path, rule: 'reserved-label', message: `the label ${label} belongs to release records; remove it` })),
        ...names.map((name) => ({ path, rule: 'reserved-name', message: `the name ${name} belongs to release records; choose another` })),
      ];
    }),
  );
}

function labelNames(labels: GoValue | undefined): string[] {
  if (labels instanceof GoMap) return [...labels.keys()].map(keyText);
  return Array.isArray(labels) ? labels.filter((label) => typeof label === 'string').map((label) => label.split('=', 1)[0] as string) : [];
}

/** Every name the object may get; `external: yes` is a text for some readers and true for others, so it counts both ways. */
function swarmNames(key: string, entry: GoValue, stack: string): string[] {
  const [name, external] = [memberOf(entry, 'name'), memberOf(entry, 'external')];
  if (typeof name === 'string' && name !== '') return [name];
  const inner = memberOf(external, 'name');
  if (typeof inner === 'string' && inner !== '') return [inner];
  const scoped = `${stack}_${key}`;
  if (external === true || external instanceof GoMap) return [key];
  return typeof external === 'string' ? [key, scoped] : [scoped];
}
