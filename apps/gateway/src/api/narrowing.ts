import { type AppSetStatus, HivekeepError } from '@hivekeep/contracts';
import type { Authorizer, Subject } from '../auth/authorizer.ts';

/** The names the subject may see. An authorizer that fails refuses, because a missing answer must not show more. */
export async function visibleNames(authorizer: Authorizer, subject: Subject, names: readonly string[]): Promise<Set<string>> {
  try {
    return new Set(await authorizer.visible(subject, 'read', names));
  } catch (cause) {
    throw new HivekeepError('auth/forbidden', 'forbidden: what you may see cannot be decided now', { cause });
  }
}

/** The app set's status for one subject: lists narrowed and left out when empty; without `controller`, no source and no error text. */
export function narrowAppSet(
  status: AppSetStatus,
  visible: ReadonlySet<string>,
  controller: boolean,
): Partial<AppSetStatus> & Pick<AppSetStatus, 'mode' | 'stale'> {
  const { source, revision, error, issues, orphaned, pruned, pruneHeldBy, ...open } = status;
  return {
    ...open,
    ...(controller ? { source, revision } : {}),
    ...(error !== undefined && { error: controller ? error : 'the app set could not be loaded' }),
    ...(controller && issues && { issues }),
    ...narrowed('orphaned', orphaned, visible, controller),
    ...narrowed('pruned', pruned, visible, controller),
    ...narrowed('pruneHeldBy', pruneHeldBy, visible, controller),
  };
}

function narrowed(key: string, names: readonly string[], visible: ReadonlySet<string>, controller: boolean): Record<string, string[]> {
  const kept = names.filter((name) => visible.has(name));
  return kept.length > 0 || (controller && names.length === 0) ? { [key]: kept } : {};
}
