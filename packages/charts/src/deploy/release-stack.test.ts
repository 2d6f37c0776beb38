import { describe, expect, it } from 'vitest';
import { renderMemoryChart } from '../testing/render-memory-chart.ts';
import { deployable } from './deployable.ts';
import { releaseStack } from './release-stack.ts';

const chart = { name: 'web', version: '1.0.0' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const MANIFEST = `configs:
  named: {file: ./files/a, name: a-$$1}
  site: {file: files/a}
secrets:
  s: {external: true}
services:
  web:
    image: nginx
    environment: [B=2, "C=$$x"]
    env_file: [files/one, files/two]
    configs: [site, {source: named, target: /b}]
`;
const files = { 'files/a': base64('content'), 'files/one': base64('A=$1\nB=1\n'), 'files/two': base64('# remark\nA=$HOME\nD=a$$b\n') };

describe('the stack of a chart', () => {
  it('has the contents of its files under the names of the objects', () => {
    const { objects } = releaseStack({ stack: 'shop', chart, manifest: MANIFEST, files });
    expect(objects.configs.map(({ Name, Data }) => [Name, Data])).toEqual([
      ['a-$1', base64('content')],
      ['shop_site', base64('content')],
    ]);
    expect(objects.services[0]?.TaskTemplate.ContainerSpec?.Env).toEqual(['A=$HOME', 'B=2', 'C=$x', 'D=a$$b']);
  });

  it('has its names without them', () => {
    const { objects } = releaseStack({ stack: 'shop', chart, manifest: MANIFEST });
    expect(objects.configs.map(({ Name, Data }) => [Name, Data])).toEqual([
      ['a-$1', undefined],
      ['shop_site', undefined],
    ]);
  });

  it('is refused when a file is missing', () => {
    expect(() => deployable({ stack: 'shop', manifest: MANIFEST, files: {} })).toThrow(
      /configs\.named\.file: the file "\.\/files\/a" is not among/,
    );
  });

  it('keeps every rule of a compose file', () => {
    expect(() => releaseStack({ stack: 'shop', chart, manifest: 'services:\n  web:\n    image: nginx\n    imagee: x\n' })).toThrow(
      /imagee/,
    );
  });

  it('of a compose source is taken as it is', () => {
    const { objects } = releaseStack({
      stack: 'shop',
      chart: { name: 'compose', version: '0.0.0' },
      manifest: 'services:\n  web: {image: nginx, environment: {A: $$x}}\n',
    });
    expect(objects.services[0]?.TaskTemplate.ContainerSpec?.Env).toEqual(['A=$$x']);
  });

  it('of a rendered chart can always be made', async () => {
    const rendered = await renderMemoryChart(
      { 'templates/c.yaml': 'configs: {c: {file: values/text}}\nservices: {web: {configs: [c]}}' },
      'text: hello',
    );
    const contents = Object.fromEntries([...(rendered.files ?? [])].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]));
    expect(contents).toEqual({ 'values/text': base64('hello') });
    expect(releaseStack({ stack: 'shop', chart, manifest: rendered.manifest, files: contents }).objects.configs).toMatchObject([
      { Data: base64('hello') },
    ]);
  });
});
