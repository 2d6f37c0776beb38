import type { Issue } from '@hivekeep/contracts';
import type { GoMap } from '@hivekeep/goyaml';
import type { Chart } from '../chart/chart.ts';
import { judgeCompat } from '../compat/engine-level.ts';
import { releaseStack } from '../deploy/release-stack.ts';
import { secretFileProblems } from '../manifest/file-references.ts';
import { readManifestDocument } from '../manifest/manifest-view.ts';
import { issuesOf } from '../problems.ts';
import { renderChart } from '../render/render-chart.ts';
import type { RenderEnvironment } from '../render/render-environment.ts';
import { manifestProblems } from '../render/render-release.ts';
import { checkSchema } from '../values/check-schema.ts';
import { layerValues, type ValuesInput } from '../values/layer-values.ts';
import { monitorWarnings } from './healthcheck-monitor.ts';
import { credentialWarnings } from './inline-credentials.ts';
import { placeIssues } from './place-issues.ts';

export interface LintInput {
  readonly chart: Chart;
  readonly values: ValuesInput;
  readonly environment: RenderEnvironment;
  /** The version of the engine that the chart is checked for. */
  readonly engine: string;
}

export interface LintReport {
  readonly errors: readonly Issue[];
  readonly warnings: readonly Issue[];
}

/** The release's name while a chart is looked at without one. */
const LINT_RELEASE = 'lint';

/** Everything that is wrong with a chart and everything that is odd. Stops early only where values can't be merged or nothing renders. */
export function lintChart({ chart, values, environment, engine }: LintInput): LintReport {
  const compat = lintCompat(chart, engine);
  const merged = attempt(() => layerValues(chart.values, values));
  if ('errors' in merged) return { errors: [...compat.errors, ...merged.errors], warnings: compat.warnings };
  const { schema } = chart;
  const schemaErrors = schema ? attempt(() => checkSchema(schema, merged.value, 'values.schema.json')) : { errors: [] };
  const refused = 'errors' in schemaErrors ? schemaErrors.errors : [];
  const rendered = lintRender(chart, merged.value, environment);
  // What comes of values that are refused need not be a compose file.
  const stack = refused.length > 0 ? [] : rendered.stack;
  return {
    errors: [...compat.errors, ...refused, ...rendered.errors, ...stack],
    warnings: [...compat.warnings, ...rendered.warnings],
  };
}

function lintCompat(chart: Chart, engine: string): LintReport {
  const issue = (message: string): Issue => ({ file: 'Chart.yaml', path: 'swarmcliVersion', rule: 'engine', message });
  const compat = judgeCompat(chart.metadata.swarmcliVersion, engine);
  if (compat.status === 'unknown')
    return { errors: [], warnings: [issue(compat.reason ?? 'is missing: say which engine the chart needs, for example ">= 2.0.0"')] };
  if (compat.status === 'ok') return { errors: [], warnings: [] };
  return { errors: [issue(`asks for an engine ${compat.required}; this one is at ${compat.engine}`)], warnings: [] };
}

/** `stack`: why the manifest is no compose file, but for what the errors name already. */
function lintRender(chart: Chart, values: GoMap, environment: RenderEnvironment): LintReport & { readonly stack: readonly Issue[] } {
  const rendered = attempt(() => renderChart({ chart, release: LINT_RELEASE, values, environment }));
  if ('errors' in rendered) return { errors: rendered.errors, warnings: [], stack: [] };
  const { manifest, requirements, volatile, fragments } = rendered.value;
  const document = readManifestDocument(manifest);
  const { issues } = manifestProblems(manifest, { chart, release: LINT_RELEASE, values, requirements });
  const converted = attempt(() => releaseStack({ stack: LINT_RELEASE, chart: chart.metadata, manifest }));
  const found = new Set(issues.map(({ path }) => path));
  const stack = 'errors' in converted ? converted.errors.filter(({ path }) => !found.has(path)) : [];
  const unstable: Issue = { rule: 'volatile', message: 'renders differently each time: it is deployed once for each commit and then held' };
  const warnings = [...secretFileProblems(manifest), ...monitorWarnings(document), ...credentialWarnings(document)];
  const placed = (all: readonly Issue[]) => placeIssues(all, fragments, chart.templates);
  return { errors: placed(issues), warnings: [...placed(warnings), ...(volatile ? [unstable] : [])], stack: placed(stack) };
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly errors: readonly Issue[] } {
  try {
    return { value: run() };
  } catch (error) {
    return { errors: issuesOf(error) };
  }
}
