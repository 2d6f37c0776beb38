import type { AppSetAnswer, AppSetStatus, SwarmView, WireError } from '@hivekeep/contracts';

/** The newest answer of a source, and why there is none newer. */
export interface AppSetKnowledge {
  readonly answer?: AppSetAnswer;
  readonly failure?: WireError;
}

/** The app set as the hub sees it; what left it is what the swarms say. */
export function appSetStatus({ answer, failure }: AppSetKnowledge, swarms: readonly SwarmView[]): AppSetStatus {
  const lists = {
    orphaned: union(swarms, (view) => view.appSet.orphaned),
    pruned: union(swarms, (view) => view.appSet.pruned),
    pruneHeldBy: union(swarms, (view) => view.appSet.pruneHeldBy),
  };
  const error = failure?.message ?? answer?.error?.message;
  if (answer === undefined) {
    const fallback = swarms.find((view) => view.home)?.appSet ?? { mode: 'static' as const, source: '', revision: '' };
    return { ...fallback, ...lists, stale: true, error: error ?? 'no source has answered yet' };
  }
  return {
    mode: answer.mode,
    source: answer.source,
    revision: answer.revision,
    ...(answer.loadedAt !== undefined && { loadedAt: answer.loadedAt }),
    ...(error !== undefined && { error }),
    ...(answer.issues && { issues: answer.issues }),
    stale: error !== undefined,
    ...lists,
  };
}

function union(swarms: readonly SwarmView[], pick: (view: SwarmView) => readonly string[]): string[] {
  return [...new Set(swarms.flatMap((view) => pick(view)))].sort();
}
