import { declaredReleases } from './diff-app-set.ts';
import type { ReadApplication } from './read-application.ts';

/** The rules between applications: one name, one release on a swarm and one `self` each. The later one gets the issue. */
export function checkSet(applications: readonly ReadApplication[]): void {
  const names = new Map<string, number>();
  const releases = new Map<string, string>();
  let self: string | undefined;
  for (const [index, { spec, fields }] of applications.entries()) {
    const first = names.get(spec.name);
    if (spec.name !== '' && first !== undefined)
      fields.problem('name', 'duplicate-name', `${JSON.stringify(spec.name)} is the name of applications[${first}] already`);
    else names.set(spec.name, index);
    checkReleases({ spec, fields }, releases);
    if (spec.self && self !== undefined)
      fields.problem('self', 'duplicate-self', `${JSON.stringify(self)} and ${JSON.stringify(spec.name)} are both self; only one may be`);
    else if (spec.self) self = spec.name;
  }
}

function checkReleases({ spec, fields }: ReadApplication, taken: Map<string, string>): void {
  const swarm = spec.destination.swarm ?? '';
  for (const release of declaredReleases(spec)) {
    const key = `${swarm}\0${release}`;
    const other = taken.get(key);
    if (release === '' || other === undefined || other === spec.name) {
      if (other === undefined) taken.set(key, spec.name);
      continue;
    }
    const where = swarm === '' ? 'the home swarm' : `the swarm ${swarm}`;
    const both = `${JSON.stringify(other)} and ${JSON.stringify(spec.name)}`;
    fields.problem(
      'source',
      'duplicate-release',
      `${both} both make the release ${JSON.stringify(release)} on ${where}; a release has one owner`,
    );
  }
}
