import type { DiffResponse, History, ReleaseStatus, View } from '@hivekeep/contracts';
import { fields, short, table } from './table.ts';

export function applicationTable(applications: readonly View[]): string {
  const rows = applications.map(({ spec, status }) => [
    spec.name,
    spec.destination.swarm ?? '',
    holdWord(status) ?? status.sync.state,
    status.health.state,
    `${status.health.services.healthy}/${status.health.services.total}`,
    short(status.sync.revision),
    status.error ?? status.health.message,
  ]);
  return table(['NAME', 'SWARM', 'SYNC', 'HEALTH', 'SERVICES', 'REVISION', 'MESSAGE'], rows);
}

export function viewText({ spec, status }: View): string {
  const last = status.sync.lastSync;
  const head = fields([
    ['Name', spec.name],
    ['Swarm', spec.destination.swarm],
    ['Source', `${spec.source.repoURL} @ ${spec.source.revision}`],
    ['Sync', `${status.sync.state} ${short(status.sync.revision)}${status.provenance?.subject ? ` "${status.provenance.subject}"` : ''}`],
    ['Last sync', last && `${last.succeeded ? 'succeeded' : 'failed'} ${last.finishedAt}${last.error ? `: ${last.error}` : ''}`],
    ['Health', [status.health.state, status.health.message].filter(Boolean).join(': ')],
    ['Drift', status.drift && [status.drift.state, status.drift.message].filter(Boolean).join(': ')],
    ['Hold', status.hold && holdText(status.hold)],
    ['Error', status.error],
    ['Observed', status.observedAt],
  ]);
  const warnings = (status.warnings ?? []).map((warning) => `Warning  ${warning.message} [${warning.rule}]\n`).join('');
  const missing = (status.missingCapabilities ?? []).map((lack) => `Missing  ${lack.capability}: ${lack.costs}\n`).join('');
  return [head + warnings + missing, ...(status.releases ?? []).map(releaseText)].join('\n');
}

export function diffText({ releases }: DiffResponse): string {
  return (releases ?? [])
    .map(({ release, action, diff }) => `# ${release}: ${action}\n${diff.endsWith('\n') ? diff : `${diff}\n`}`)
    .join('\n');
}

export function historyTable({ releases }: History): string {
  const rows = releases.flatMap(({ name, revisions }) =>
    revisions.map((revision) => [
      name,
      revision.revision,
      `${revision.chart} ${revision.version}`,
      revision.status,
      revision.created,
      short(revision.commit),
      revision.owner,
    ]),
  );
  return table(['RELEASE', 'REVISION', 'CHART', 'STATUS', 'CREATED', 'COMMIT', 'OWNER'], rows);
}

function releaseText(release: ReleaseStatus): string {
  const services = release.services.map((service) => [
    service.name,
    service.mode,
    service.completed ? `${service.completed} completed` : `${service.running}/${service.desired}`,
    service.health,
    service.updateState,
    service.message ?? '',
  ]);
  const reasons = (release.reasons ?? []).map((reason) => `  would write: ${reason}\n`).join('');
  const drift = (release.drift?.services ?? []).flatMap((service) => [
    `  drift: ${service.name} ${service.reason}\n`,
    ...service.fields.map((field) => `    ${field.field}: desired ${field.desired}, live ${field.live}\n`),
  ]);
  return [
    `Release ${release.name}  revision ${release.revision}  ${release.sync}  ${release.health.state}\n`,
    services.length > 0 ? table(['SERVICE', 'MODE', 'RUNNING', 'HEALTH', 'UPDATE', 'MESSAGE'], services) : '',
    reasons,
    ...drift,
  ].join('');
}

function holdText({ reason, by, at, message, release, revision }: NonNullable<View['status']['hold']>): string {
  const back = release !== undefined && reason !== 'rollback' ? `; ${release} is rolled back to revision ${revision}` : '';
  return `${reason} by ${by} at ${at}${message ? `: ${message}` : ''}${back}`;
}

/** A hold says more than the sync state it holds. */
function holdWord({ hold }: View['status']): string | undefined {
  return hold && `held (${hold.reason})`;
}
