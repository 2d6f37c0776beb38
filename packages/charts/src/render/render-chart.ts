import type { Requirements } from '@hivekeep/contracts';
import type { Value } from '@hivekeep/gotemplate';
import type { GoMap } from '@hivekeep/goyaml';
import type { Chart } from '../chart/chart.ts';
import { readRequirements } from '../requirements/read-requirements.ts';
import { contextRoot, executeTemplates } from './execute-templates.ts';
import { type Fragment, mergeFragments, writeChartManifest } from './merge-fragments.ts';
import { atAnotherTime, type RenderEnvironment, watched } from './render-environment.ts';

export interface ChartRender {
  readonly chart: Chart;
  readonly release: string;
  readonly values: GoMap;
  readonly environment: RenderEnvironment;
}

export interface RenderedChart {
  readonly manifest: string;
  readonly requirements: Requirements | undefined;
  readonly volatile: boolean;
  /** What each template gave. */
  readonly fragments: readonly Fragment[];
}

const REQUIREMENTS = 'requirements.yaml';

/**
 * Renders every template and the requirements. A chart that asks for the time or for random numbers is rendered a second time with
 * others: only what then differs is volatile. Throws `chart/invalid`.
 */
export function renderChart({ environment, ...render }: ChartRender): RenderedChart {
  const watch = watched(environment);
  const first = renderOnce({ ...render, environment: watch.environment });
  if (!watch.wasAsked()) return { ...first, volatile: false };
  const second = renderOnce({ ...render, environment: atAnotherTime(environment) });
  return { ...first, volatile: first.manifest !== second.manifest };
}

function renderOnce({ chart, release, values, environment }: ChartRender): Omit<RenderedChart, 'volatile'> {
  const root = contextRoot({ values, release, chart: chart.metadata });
  const names = [...chart.templates.keys()];
  const outputs = executeTemplates({ templates: chart.templates, names, root, environment });
  const fragments = names.map((name, index) => ({ name, output: outputs[index] ?? '' }));
  return { manifest: writeChartManifest(mergeFragments(fragments)), fragments, requirements: renderRequirements(chart, root, environment) };
}

const withRequirements = new WeakMap<Chart, ReadonlyMap<string, Uint8Array>>();

/** With the helpers of the manifest, and its values as its templates left them. */
function renderRequirements(chart: Chart, root: Value, environment: RenderEnvironment): Requirements | undefined {
  if (!chart.requirements) return undefined;
  const templates = withRequirements.get(chart) ?? new Map([...chart.templates, [REQUIREMENTS, chart.requirements] as const]);
  withRequirements.set(chart, templates);
  const [output = ''] = executeTemplates({ templates, names: [REQUIREMENTS], root, environment });
  return readRequirements(Buffer.from(output), REQUIREMENTS);
}
