import type { Issue } from '@hivekeep/contracts';
import type { Step } from '../plan.ts';

/** What one part of a plan adds to it. */
export interface PlanDraft {
  readonly steps: readonly Step[];
  readonly refusals: readonly Issue[];
  readonly warnings: readonly string[];
}

export function step(...steps: Step[]): PlanDraft {
  return { steps, refusals: [], warnings: [] };
}

export function refuse(rule: string, path: string, message: string): PlanDraft {
  return { steps: [], refusals: [{ rule: `plan/${rule}`, path, message }], warnings: [] };
}

export function warn(...warnings: string[]): PlanDraft {
  return { steps: [], refusals: [], warnings };
}

/** Parts in order, as one. */
export function joined(drafts: readonly PlanDraft[]): PlanDraft {
  return {
    steps: drafts.flatMap((draft) => draft.steps),
    refusals: drafts.flatMap((draft) => draft.refusals),
    warnings: drafts.flatMap((draft) => draft.warnings),
  };
}
