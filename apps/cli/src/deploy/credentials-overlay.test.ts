import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertStack, loadCompose, rotateNames } from '@hivekeep/compose';
import { expect, test } from 'vitest';
import { checkout } from '../checkout.ts';
import { exampleFiles } from './example-files.ts';

test('the overlay for further credentials in docs/operations.md is added to a stack as docker reads it', async () => {
  const text = readFileSync(join(checkout, 'docs/operations.md'), 'utf8');
  const [, overlay = ''] = /^## Further credentials$.*?^```yaml\n(.*?)^```$/ms.exec(text) ?? [];
  const files: Record<string, string> = { ...exampleFiles(), 'credentials.yml': overlay };
  const read = async (path: string) => Buffer.from(files[path] ?? `content of ${path}`);
  const given = { files: ['stack.yml', 'credentials.yml'], reader: { read }, env: {}, dialect: 'docker', stack: 'hivekeep' } as const;
  const { manifest, files: configs } = rotateNames(await loadCompose(given), { stack: 'hivekeep', secretDigest: () => 'd'.repeat(64) });
  const { services } = convertStack({ stack: 'hivekeep', document: manifest, files: configs });
  const container = (name: string) => services.find(({ Name }) => Name === `hivekeep_${name}`)?.TaskTemplate.ContainerSpec;
  const mounted = (name: string) => container(name)?.Secrets?.map(({ File }) => `${File?.Name} ${File?.UID} ${File?.Mode.toString(8)}`);

  expect(mounted('source')?.toSorted()).toEqual(['forge-token 65532 400', 'seed-source 65532 400', 'ssh-key 65532 400']);
  expect(mounted('reconciler')?.toSorted()).toEqual(['registry 0 400', 'seed-reconciler-default 0 400']);
  expect(container('source')?.Env).toEqual(
    expect.arrayContaining(['HIVEKEEP_GIT_CREDENTIALS=/etc/hivekeep/git-credentials.yml', 'HIVEKEEP_NATS=tls://nats:4222']),
  );
  const targets = container('source')?.Configs?.map(({ File }) => File?.Name);
  expect(targets).toEqual(
    expect.arrayContaining(['/etc/hivekeep/ca.crt', '/etc/hivekeep/git-credentials.yml', '/etc/hivekeep/known_hosts']),
  );
});
