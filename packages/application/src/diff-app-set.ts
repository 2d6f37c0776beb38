import { canonicalJson, type Spec } from '@hivekeep/contracts';

/** How to get from what is held to what is declared, to be done in this order. */
export interface AppSetDiff {
  /** Names, in the order in which they are held. */
  readonly remove: string[];
  readonly replace: Spec[];
  /** In the order of the file. */
  readonly add: Spec[];
}

/** Compares by name and then the whole spec; a rename is a removal and an addition. */
export function diffAppSet(held: readonly Spec[], declared: readonly Spec[]): AppSetDiff {
  const heldByName = new Map(held.map((spec) => [spec.name, canonicalJson(spec)]));
  const declaredNames = new Set(declared.map((spec) => spec.name));
  return {
    remove: held.filter((spec) => !declaredNames.has(spec.name)).map((spec) => spec.name),
    replace: declared.filter((spec) => heldByName.has(spec.name) && heldByName.get(spec.name) !== canonicalJson(spec)),
    add: declared.filter((spec) => !heldByName.has(spec.name)),
  };
}

/** The applications of a swarm; an empty destination is the home swarm. */
export function selectForSwarm(applications: readonly Spec[], swarm: string, home: boolean): Spec[] {
  return applications.filter(({ destination }) => (destination.swarm ? destination.swarm === swarm : home));
}

/** The release names an application's own entry gives; those inside a release file are not known from the set. */
export function declaredReleases({ name, source }: Spec): string[] {
  const definition = source.compose ?? source.chart;
  return definition === undefined ? [] : [definition.release ?? name];
}
