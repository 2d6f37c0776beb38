import { HivekeepError, type Spec } from '@hivekeep/contracts';
import { EXIT } from '../exit-status.ts';
import { Exit, issueLine } from '../failure.ts';
import { loadBundle } from '../load-bundle.ts';
import type { Format } from '../output/print.ts';
import { print } from '../output/print.ts';
import type { planOffline } from '../plan/build-offline.ts';
import type { OfflineRelease, OfflineResult } from '../plan/offline-plan.ts';
import { readAppSet } from './validate-action.ts';

export interface PlanFlags {
  readonly file: string;
  readonly repo: string;
  readonly commit?: string;
  readonly app?: string[];
  readonly allowChartHost?: string[];
  readonly output: Format;
}

/** Prints what each application would write; exit 1 when one cannot be built or is refused. */
export async function plan({ file, repo, commit, app, allowChartHost, output }: PlanFlags): Promise<void> {
  const { applications: all } = await readAppSet({ file, output, allowLocalGit: true });
  const applications = chosen(all, app);
  const bundle = (await loadBundle('source')) as { planOffline: typeof planOffline };
  const results = await bundle.planOffline({ applications, repo, commit, allowChartHost });
  await print(output, { applications: results }, () => results.map(resultText).join('\n'));
  if (results.some(isRefused)) throw new Exit(EXIT.differs);
}

function chosen(applications: readonly Spec[], names: readonly string[] | undefined): readonly Spec[] {
  const unknown = (names ?? []).filter((name) => !applications.some((spec) => spec.name === name));
  if (unknown.length > 0) throw new HivekeepError('application/unknown', `the app set has no application ${unknown.join(', ')}`);
  return names === undefined ? applications : applications.filter((spec) => names.includes(spec.name));
}

function isRefused(result: OfflineResult): boolean {
  return 'error' in result || result.releases.some((release) => release.plan.refusals.length > 0);
}

function resultText(result: OfflineResult): string {
  if ('error' in result) {
    const issues = (result.error.issues ?? []).map((issue) => `  ${issueLine(issue)}\n`).join('');
    return `${result.application}: ${result.error.message} [${result.error.code}]\n${issues}`;
  }
  const warnings = result.warnings.map((warning) => `  warning: ${issueLine(warning)}\n`).join('');
  return `${result.application} at ${result.commit.slice(0, 10)}\n${warnings}${result.releases.map(releaseText).join('')}`;
}

function releaseText({ plan: { release, wave, action, steps, refusals, warnings }, assumed }: OfflineRelease): string {
  const lines = [
    `  release ${release} (wave ${wave}): ${action}`,
    ...refusals.map((issue) => `    refused: ${issueLine(issue)}`),
    ...warnings.map((warning) => `    warning: ${warning}`),
    ...steps.map((step) => `    ${step.action} ${step.kind} ${step.name}`),
    ...assumed.map(({ kind, name }) => `    assumes ${kind} ${name}`),
  ];
  return `${lines.join('\n')}\n`;
}
