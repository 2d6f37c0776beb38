import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import { registryAuthFor, registryOf } from './registry-auth.ts';

const auth = (pair: string) => Buffer.from(pair).toString('base64');

async function ask(config: unknown, image: string) {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'reg'), typeof config === 'string' ? config : JSON.stringify(config));
  const header = await registryAuthFor('reg', image, { dir: dir.path });
  return header && JSON.parse(Buffer.from(header, 'base64url').toString());
}

test.each([
  ['nginx', 'docker.io'],
  ['library/nginx:1', 'docker.io'],
  ['docker.io/library/nginx', 'docker.io'],
  ['index.docker.io/a/b', 'docker.io'],
  ['localhost/a', 'localhost'],
  ['reg.example:5000/a/b@sha256:0', 'reg.example:5000'],
])('the registry of %s is %s', (image, registry) => {
  expect(registryOf(image)).toBe(registry);
});

describe('credentials of an image', () => {
  test.each([
    [
      { auths: { 'reg.example:5000': { auth: auth('u:p:q') } } },
      'reg.example:5000/a',
      { username: 'u', password: 'p:q', serveraddress: 'reg.example:5000' },
    ],
    [
      { auths: { 'https://reg.example/v2/': { username: 'u', password: 'p' } } },
      'reg.example/a',
      { username: 'u', password: 'p', serveraddress: 'reg.example' },
    ],
    [
      { auths: { 'https://index.docker.io/v1/': { auth: auth('u:p') } } },
      'me/app',
      { username: 'u', password: 'p', serveraddress: 'https://index.docker.io/v1/' },
    ],
    [{ auths: { 'reg.example': { identitytoken: 't' } } }, 'reg.example/a', { identitytoken: 't', serveraddress: 'reg.example' }],
    [{ auths: { 'reg.example': { auth: auth('u:p') } } }, 'other.example/a', undefined],
    [{}, 'nginx', undefined],
  ])('%j for %s', async (config, image, expected) => {
    expect(await ask(config, image)).toEqual(expected);
  });

  test.each([
    [{ auths: {}, credsStore: 'pass' }, /credsStore or credHelpers/],
    [{ credHelpers: { 'reg.example': 'x' } }, /credsStore or credHelpers/],
    ['{"auths": canary', /docker config.json/],
    [{ auths: { 'reg.example': { auth: auth('canary') } } }, /user:password/],
  ])('%j is refused, without its content', async (config, message) => {
    const error = await ask(config, 'reg.example/a').catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'config/invalid', message: expect.stringMatching(message) });
    expect(`${error} ${error.cause}`).not.toContain('canary');
  });

  test.each(['../etc/passwd', '', '.', 'a/b', 'missing'])('secret %j is refused', async (secret) => {
    await using dir = await tempDir();
    await expect(registryAuthFor(secret, 'nginx', { dir: dir.path })).rejects.toMatchObject({ code: 'config/invalid' });
  });
});
