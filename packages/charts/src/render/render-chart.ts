import type { Requirements } from '@hivekeep/contracts';
import type { GoMap } from '@hivekeep/goyaml';
import type { Chart } from '../chart/chart.ts';
import { readRequirements } from '../requirements/read-requirements.ts';
import { executeTemplates } from './execute-templates.ts';
import { mergeFragments, writeChartManifest } from './merge-fragments.ts';
import type { ReleaseContext } from './release-context.ts';
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
  const context: ReleaseContext = { values, release, chart: chart.metadata };
  const names = [...chart.templates.keys()];
  const outputs = executeTemplates({ templates: chart.templates, names, context, environment });
  const document = mergeFragments(names.map((name, index) => ({ name, output: outputs[index] ?? '' })));
  return { manifest: writeChartManifest(document), requirements: renderRequirements({ chart, release, values, environment }) };
}

/** With the same helpers as the manifest, and their values: `define`s of every template are visible. */
function renderRequirements({ chart, release, values, environment }: ChartRender): Requirements | undefined {
  if (!chart.requirements) return undefined;
  const templates = new Map([...chart.templates, [REQUIREMENTS, chart.requirements] as const]);
  const context: ReleaseContext = { values, release, chart: chart.metadata };
  const [output = ''] = executeTemplates({ templates, names: [REQUIREMENTS], context, environment });
  return readRequirements(Buffer.from(output), REQUIREMENTS);
}
