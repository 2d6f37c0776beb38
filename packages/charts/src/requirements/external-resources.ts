import type { Issue } from '@hivekeep/contracts';
import { GoMap } from '@hivekeep/goyaml';
import { memberOf, sectionOf } from '../manifest/manifest-view.ts';
import type { Requirements } from './requirements.ts';

export interface ExternalResources {
  /** Names on the swarm, sorted. */
  readonly networks: readonly string[];
  readonly secrets: readonly string[];
  readonly configs: readonly string[];
  readonly issues: readonly Issue[];
}

const SECTIONS = ['networks', 'secrets', 'configs'] as const;

/** What a manifest expects to be there: entries with `external: true`, or with `external` as a mapping. */
export function externalResources(document: GoMap): ExternalResources {
  const issues: Issue[] = [];
  const of = (section: (typeof SECTIONS)[number]): string[] => {
    const names = sectionOf(document, section).flatMap(([key, entry]) => {
      const external = memberOf(entry, 'external');
      if (external !== true && !(external instanceof GoMap)) return [];
      const [sibling, inner] = [textOf(memberOf(entry, 'name')), textOf(memberOf(external, 'name'))];
      if (sibling !== undefined && inner !== undefined)
        issues.push({ path: `${section}.${key}`, rule: 'external-name', message: 'name and external.name are given, only one may be' });
      return [sibling ?? inner ?? key];
    });
    return [...new Set(names)].sort();
  };
  return { networks: of('networks'), secrets: of('secrets'), configs: of('configs'), issues };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** With a `requirements.yaml` everything external must be declared in it: what is not is a slip of one of the two. */
export function undeclaredProblems(external: ExternalResources, requirements: Requirements): Issue[] {
  return SECTIONS.flatMap((section) => {
    const declared = new Set(requirements[section].map(({ name }) => name));
    return external[section]
      .filter((name) => !declared.has(name))
      .map((name) => ({
        path: section,
        rule: 'undeclared',
        message: `the external ${section.slice(0, -1)} ${name} is not declared in requirements.yaml`,
      }));
  });
}
