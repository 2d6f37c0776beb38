import type { Hold } from '@hivekeep/contracts';
import type { ApplicationPlan, PlannedRelease } from './application-plan.ts';

/** What may differ although chart, version and values are the same. */
const RENDERED: ReadonlySet<string> = new Set(['manifest', 'files']);

/** Whether a release of a chart that renders differently each time was deployed from this very commit. */
function isDeployed({ artifact }: PlannedRelease, { built, world }: ApplicationPlan): boolean {
  const [newest] = world.records.get(artifact.name) ?? [];
  return artifact.volatile === true && newest?.record.commit === built.provenance.commit;
}

/**
 * The plan as it is carried out unasked: a chart that renders differently each time is deployed once for each commit, since another
 * render is no change that anybody made. Whoever asks for a sync gets the new one.
 */
export function withoutRenderedAgain(plan: ApplicationPlan): ApplicationPlan {
  const releases = plan.releases.map((release): PlannedRelease => {
    const { action, reasons, settles } = release.plan;
    if (action !== 'upgrade' || !isDeployed(release, plan) || !reasons.every((reason) => RENDERED.has(reason))) return release;
    const kept = { release: release.plan.release, wave: release.plan.wave, ...(settles && { settles }) };
    return { ...release, plan: { ...kept, action: 'unchanged', reasons: [], steps: [], refusals: [], warnings: [] } };
  });
  return { ...plan, releases };
}

/** The hold that such charts put on an application at a commit; undefined when it has none. */
export function volatileHold(plan: ApplicationPlan): Hold | undefined {
  const held = plan.releases.filter((release) => isDeployed(release, plan));
  const [first] = held;
  const since = first && plan.world.records.get(first.artifact.name)?.[0]?.record.created;
  if (since === undefined) return undefined;
  const names = held.map((release) => release.artifact.name).join(', ');
  const message = `${names} renders differently each time: it is deployed once for each commit; sync to deploy it again`;
  return { reason: 'unstable', by: 'hivekeep', at: since, message, commit: plan.built.provenance.commit };
}
