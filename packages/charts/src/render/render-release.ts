import { HivekeepError, type Issue, type Requirements } from '@hivekeep/contracts';
import type { GoMap } from '@hivekeep/goyaml';
import type { Chart } from '../chart/chart.ts';
import { ENGINE_LEVEL, judgeCompat } from '../compat/engine-level.ts';
import { bindProblems } from '../manifest/bind-mounts.ts';
import { checkEnvironment } from '../manifest/environment.ts';
import { resolveFiles } from '../manifest/file-references.ts';
import { interpolationProblems } from '../manifest/interpolation.ts';
import { viewManifest } from '../manifest/manifest-view.ts';
import { reservedProblems } from '../manifest/reserved-names.ts';
import { chartError } from '../problems.ts';
import { externalResources, undeclaredProblems } from '../requirements/external-resources.ts';
import { checkSchema } from '../values/check-schema.ts';
import { renderChart } from './render-chart.ts';
import type { RenderEnvironment } from './render-environment.ts';

export interface RenderInput {
  readonly chart: Chart;
  /** The release's name. */
  readonly release: string;
  /** All layers merged. */
  readonly values: GoMap;
  readonly environment: RenderEnvironment;
}

/** A release as it is planned, deployed and recorded. */
export interface RenderedRelease {
  /** As the family's engine writes it. */
  readonly manifest: string;
  /** Files the manifest refers to, by path from the chart's root; null when there are none. */
  readonly files: ReadonlyMap<string, Uint8Array> | null;
  /** Undefined for a chart without `requirements.yaml`. */
  readonly requirements: Requirements | undefined;
  /** Another time or other random numbers give another manifest. */
  readonly volatile: boolean;
}

/**
 * Renders a chart and checks what it gave, before anything of it is deployed: schema, templates, requirements, files, environment,
 * names. Throws `chart/invalid` with every problem of the step that failed; where the chart asks for a newer engine, the message says so.
 */
export function renderRelease(input: RenderInput): RenderedRelease {
  try {
    return render(input);
  } catch (error) {
    if (!(error instanceof HivekeepError)) throw error;
    const compat = judgeCompat(input.chart.metadata.swarmcliVersion, ENGINE_LEVEL);
    if (compat.status !== 'incompatible') throw error;
    const hint = `the chart asks for an engine ${compat.required}, this one is at ${ENGINE_LEVEL}`;
    throw new HivekeepError(error.code, `${error.message}; ${hint}`, { cause: error, ...(error.issues && { issues: error.issues }) });
  }
}

function render({ chart, release, values, environment }: RenderInput): RenderedRelease {
  if (chart.schema) checkSchema(chart.schema, values, 'values.schema.json');
  const { manifest, requirements, volatile } = renderChart({ chart, release, values, environment });
  const { files, issues } = manifestProblems(manifest, { chart, release, values, requirements });
  if (issues.length > 0) throw chartError(issues);
  return { manifest, files, requirements, volatile };
}

export interface CheckedAgainst {
  readonly chart: Chart;
  readonly release: string;
  readonly values: GoMap;
  readonly requirements: Requirements | undefined;
}

/** Everything wrong with a rendered manifest, and the files it refers to. */
export function manifestProblems(manifest: string, { chart, release, values, requirements }: CheckedAgainst) {
  const view = viewManifest(manifest);
  const { document } = view;
  const resolved = resolveFiles(document, { files: chart.files, values });
  const external = externalResources(document);
  const issues: Issue[] = [
    ...resolved.issues,
    ...interpolationProblems(view),
    ...checkEnvironment(document, resolved.files).issues,
    ...reservedProblems(document, release),
    ...bindProblems(document),
    ...external.issues,
    ...(requirements ? undeclaredProblems(external, requirements) : []),
  ];
  return { files: resolved.files, issues };
}
