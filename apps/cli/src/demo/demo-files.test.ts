import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadAppSet } from '@hivekeep/application';
import { ENGINE_LEVEL, layerValues, lintChart, renderRelease } from '@hivekeep/charts';
import { decode, fromPlain } from '@hivekeep/goyaml';
import { renderEnvironment } from '@hivekeep/render-environment';
import { tempDir } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { loadChart } from '../chart/load-chart.ts';
import { DEMO_IMAGE } from './demo-chart.ts';
import { applicationNames, demoFiles } from './demo-files.ts';

const files = (onlyNode?: string) => demoFiles({ repository: '/srv/demo', onlyNode });

it('has an app set that is valid, with `notes` last so that cutting it off leaves a valid one', () => {
  const text = files()['applications.yaml'] ?? '';
  for (const [set, names] of [
    [text, [...applicationNames]],
    [text.slice(0, text.indexOf('  - name: notes')), ['web', 'job', 'greeter']],
  ] as const) {
    const loaded = loadAppSet(Buffer.from(set), {
      file: 'applications.yaml',
      mode: 'online',
      urlPolicy: { allowLocal: true, insecureHosts: [] },
    });
    expect(loaded).toMatchObject({ applications: names.map((name) => ({ name })) });
  }
});

it.each(applicationNames.filter((name) => name !== 'greeter'))('keeps the services of %s on the only node that has the image', (name) => {
  const stack = (onlyNode?: string) => JSON.stringify(decode(files(onlyNode)[`${name}/compose.yaml`] ?? ''));
  expect(stack()).not.toContain('node.id');
  expect(files('n0de')[`${name}/compose.yaml`]).toContain('node.id == n0de');
});

it.each([undefined, 'n0de'])('has a chart without faults, which keeps to the node %s', async (onlyNode) => {
  await using folder = await tempDir();
  for (const [name, content] of Object.entries(files(onlyNode))) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), content);
  }
  const chart = await loadChart(join(folder.path, 'charts/greeter'));
  const given = { files: [{ path: 'greeter/values.yaml', bytes: await readFile(join(folder.path, 'greeter/values.yaml')) }] };
  const environment = renderEnvironment();
  expect(lintChart({ chart, values: given, environment, engine: ENGINE_LEVEL })).toEqual({ errors: [], warnings: [] });
  const { manifest } = renderRelease({ chart, release: 'demo-greeter', values: layerValues(chart.values, given), environment });
  expect(decode(manifest)).toEqual(
    fromPlain({
      services: {
        greeter: {
          image: DEMO_IMAGE,
          command: ['sh', '-c', 'while sleep 5; do echo Good day from demo-greeter; done'],
          stop_grace_period: '1s',
          deploy: { replicas: 1, ...(onlyNode && { placement: { constraints: ['node.id == n0de'] } }) },
        },
      },
    }),
  );
});
