import {
  type Chart,
  layerValues,
  type RenderEnvironment,
  renderRelease,
  templateRoots,
  toTemplateValue,
  toTemplateYaml,
} from '@hivekeep/charts';
import { TemplateSet, utc } from '@hivekeep/gotemplate';
import { decode, GoMap } from '@hivekeep/goyaml';
import type { Oracle } from './oracle.ts';
import { template, values } from './sixty-services.ts';

/** Nanoseconds: of the template of sixty services alone, and of a whole render from values to manifest. */
interface Times {
  readonly executeNs: number;
  readonly renderNs: number;
}

export interface Speed {
  readonly here: Times;
  readonly go: Times;
}

const ROUNDS = 5;
const RUNS_A_ROUND = 100;
const identity = { name: 'demo', version: '0.1.0', appVersion: '1.0', maintainers: [], dependencies: [] };
const environment: RenderEnvironment = { now: () => 0n, localZone: utc, randomBytes: (count) => new Uint8Array(count), crypto: {} };

/** Both programs warm, one after the other. */
export async function measureSpeed(oracle: Oracle): Promise<Speed> {
  const text = JSON.stringify(values);
  const [line = ''] = await oracle.lines('bench', ['-count', String(ROUNDS)], JSON.stringify({ template, values }));
  const set = new TemplateSet(new Map([['stack.yaml', template]]));
  const data = templateRoots({
    values: toTemplateValue(decode(text)),
    release: { Name: 'ci', Namespace: 'ci', Revision: 1n },
    chart: { Name: identity.name, Version: identity.version, AppVersion: identity.appVersion },
  });
  const options = { environment: { ...environment, toYaml: toTemplateYaml } };
  const file = { path: 'values.yaml', bytes: Buffer.from(text) };
  const render = () => {
    const templates = new Map([['templates/stack.yaml', Buffer.from(template)]]); // not the ones that were parsed before
    const chart: Chart = { metadata: identity, rawMetadata: file.bytes, values: new GoMap(), templates, files: null };
    renderRelease({ chart, release: 'ci', values: layerValues(chart.values, { files: [file] }), environment });
  };
  const here = { executeNs: shortest(() => set.render('stack.yaml', data, options)), renderNs: shortest(render) };
  return { here, go: JSON.parse(line) as Times };
}

/** The shortest of many runs: other programs disturb it least. */
function shortest(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS * RUNS_A_ROUND; i++) {
    const started = performance.now();
    run();
    least = Math.min(least, (performance.now() - started) * 1e6);
  }
  return least;
}
