import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, tempDir } from '@hivekeep/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { natsHealth } from './nats-health.ts';

/** A container whose host name is `c0ffee`, with two addresses; `answers` and `names` are what its server and DNS say. */
async function container() {
  const dir = await tempDir();
  onTestFinished(() => dir[Symbol.asyncDispose]());
  const at = (name: string) => join(dir.path, name);
  const program = async (name: string, text: string) => {
    await writeFile(at(name), `#!/bin/sh\n${text}\n`);
    await chmod(at(name), 0o755);
  };
  await program('hostname', 'echo c0ffee');
  await writeFile(at('hosts'), '127.0.0.1\tlocalhost\n10.0.1.4\tc0ffee\n10.0.2.4\tc0ffee\n');
  const [shell = '', ...args] = natsHealth({ url: 'http://127.0.0.1:8222/healthz', hosts: at('hosts'), mark: at('mark') });
  return {
    answers: (well: boolean) => program('wget', `exit ${well ? 0 : 8}`),
    names: (...addresses: string[]) =>
      program('nslookup', ['echo Server: 127.0.0.11', ...addresses.map((address) => `echo Address: ${address}`), 'exit 1'].join('\n')),
    /** `well`, or why not. */
    check: async () => {
      const said = await run('sh', ['-c', '"$@" && echo well || :', 'sh', shell, ...args], {
        env: { PATH: `${dir.path}:${process.env.PATH}` },
      });
      return said.trim();
    },
  };
}

test('a server is well when it answers, and from its second time on when its name leads to it', async () => {
  const { answers, names, check } = await container();
  await names();
  await answers(false);
  expect(await check()).toBe('the server does not answer');
  await answers(true);
  expect(await check()).toBe('well');
  expect(await check()).toBe('the name nats does not lead to 10.0.1.4\n10.0.2.4');
  await names('10.0.1.40', '10.0.9.9');
  expect(await check()).toMatch('does not lead');
  await names('10.0.1.40', '10.0.2.4');
  expect(await check()).toBe('well');
  await answers(false);
  expect(await check()).toBe('the server does not answer');
});
