import { loadAppSet } from '@hivekeep/application';
import { decode } from '@hivekeep/goyaml';
import { expect, it } from 'vitest';
import { applicationNames, demoFiles } from './demo-files.ts';

const files = (onlyNode?: string) => demoFiles({ repository: '/srv/demo', onlyNode });

it('has an app set that is valid, with `notes` last so that cutting it off leaves a valid one', () => {
  const text = files()['applications.yaml'] ?? '';
  for (const [set, names] of [
    [text, [...applicationNames]],
    [text.slice(0, text.indexOf('  - name: notes')), ['web', 'job']],
  ] as const) {
    const loaded = loadAppSet(Buffer.from(set), {
      file: 'applications.yaml',
      mode: 'online',
      urlPolicy: { allowLocal: true, insecureHosts: [] },
    });
    expect(loaded).toMatchObject({ applications: names.map((name) => ({ name })) });
  }
});

it.each(applicationNames)('keeps the services of %s on the only node that has the image', (name) => {
  const stack = (onlyNode?: string) => JSON.stringify(decode(files(onlyNode)[`${name}/compose.yaml`] ?? ''));
  expect(stack()).not.toContain('node.id');
  expect(files('n0de')[`${name}/compose.yaml`]).toContain('node.id == n0de');
});
