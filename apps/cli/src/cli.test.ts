import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Event, HivekeepError } from '@hivekeep/contracts';
import { event, gatewayFixture, healthyView, swarmView, TOKEN } from '@hivekeep/gateway/testing';
import { freePort } from '@hivekeep/testkit';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkout } from './checkout.ts';
import { EXIT } from './exit-status.ts';
import { buildProgram } from './program.ts';
import { runCli } from './run-cli.ts';
import { addSettingOptions } from './settings/setting-options.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hk-cli-'));
  const bin = join(checkout, 'apps/cli/node_modules/.bin/rolldown');
  const env = { ...process.env, HIVEKEEP_OUT: join(folder, 'out') };
  await promisify(execFile)(bin, ['-c', 'rolldown.config.mjs'], { cwd: join(checkout, 'apps/cli'), env, timeout: 60_000 });
}, 60_000);
afterAll(async () => rm(folder, { recursive: true }));

/** The built command as it is shipped, with nothing of this process' environment. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const done = Promise.withResolvers<Ran>();
  const settings = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: join(folder, 'cache'), ...env };
  const child = execFile(
    process.execPath,
    [join(folder, 'out/main.js'), ...args],
    { env: settings, timeout: 15_000 },
    (error, stdout, stderr) => done.resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
  );
  return { child, done: done.promise };
}
const run = (args: readonly string[], env?: Record<string, string>): Promise<Ran> => start(args, env).done;

/** A gateway with one healthy application, and a way to run commands against it. */
async function served(answers: Parameters<typeof gatewayFixture>[0] = {}) {
  const fixture = await gatewayFixture(answers);
  await fixture.serve('home', [healthyView('shop')]);
  await vi.waitFor(async () => expect(await (await fixture.get('/api/v1/applications/shop')).text()).toContain('"healthy"'));
  const env = { HIVEKEEP_SERVER: fixture.gateway.url, HIVEKEEP_TOKEN: TOKEN };
  return Object.assign(fixture, { env, run: (...args: string[]) => run(args, env), start: (...args: string[]) => start(args, env) });
}

describe('usage', () => {
  it.each<[string[], number, RegExp]>([
    [[], EXIT.usage, /Usage: hivekeep/],
    [['--help'], EXIT.ok, /^$/],
    [['ap'], EXIT.usage, /Did you mean one of app, up\?/],
    [['app', 'lst'], EXIT.usage, /Did you mean list\?/],
    [['app', 'list', '--outputt', 'json'], EXIT.usage, /Did you mean --output\?/],
    [['app', 'get'], EXIT.usage, /missing required argument 'application'/],
    [['app', 'list', '-o', 'xml'], EXIT.usage, /Allowed choices are table, json, yaml/],
    [['app', 'list'], EXIT.usage, /no token: give --token-file/],
    [['app', 'sync', 'shop', '--timeout', 'soon'], EXIT.usage, /--timeout: expected a duration/],
    [['app', 'rollback', 'shop', '--to', 'three'], EXIT.usage, /--to: expected the number of a revision .*, found 'three'/],
    [['up', '--prune-volumes', '--tls-cert', 'x'], EXIT.usage, /--prune-volumes needs --prune\n[\s\S]*--tls-cert and --tls-key/],
    [['service', 'gateway'], EXIT.usage, /give at least one NATS server/],
    [['completion', 'tcsh'], EXIT.usage, /expected bash, zsh or fish, found 'tcsh'/],
    [['validate', '--file', '/nonexistent.yaml'], EXIT.notFound, /cannot be read/],
    [['healthcheck', '--server', 'ftp://x'], EXIT.usage, /expected a server/],
  ])('%j exits %i', async (args, code, stderr) => {
    const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.stubEnv('HIVEKEEP_TOKEN', '');
    try {
      expect(await runCli(['node', 'hivekeep', ...args])).toBe(code);
      expect(told.mock.calls.join('')).toMatch(stderr);
    } finally {
      told.mockRestore();
      printed.mockRestore();
      vi.unstubAllEnvs();
    }
  });

  it('ends a service without a token before it waits for anything', async () => {
    for (const args of [['up'], ['service', 'gateway', '--nats', 'nats://127.0.0.1:9']]) {
      const ran = await run(args);
      expect([ran.code, ran.stdout, ran.stderr], args.join(' ')).toEqual([EXIT.usage, '', expect.stringContaining('no admin token')]);
    }
  });

  it('exits 7 when nobody listens', async () => {
    const env = { HIVEKEEP_SERVER: 'http://127.0.0.1:9', HIVEKEEP_TOKEN: 'x' };
    for (const args of [['app', 'list'], ['events'], ['healthcheck']]) {
      const ran = await run(args, env);
      expect([ran.code, ran.stdout], args.join(' ')).toEqual([EXIT.unreachable, '']);
    }
  });

  it('has a description and an example for every command', () => {
    const program = buildProgram();
    addSettingOptions(program);
    const poor: string[] = [];
    const visit = (command: Command, path: string) => {
      if (['hivekeep lab', 'hivekeep test', 'hivekeep version', 'hivekeep dev'].includes(path)) return;
      const help: string[] = [];
      command.configureOutput({ writeOut: (text) => help.push(text) }).outputHelp();
      if (command.description() === '' || !help.join('').includes(`\nExample:\n  $ hivekeep`)) poor.push(path);
      for (const child of command.commands) visit(child, `${path} ${child.name()}`);
    };
    visit(program, 'hivekeep');
    expect(poor).toEqual([]);
  });

  it('documents the exit codes as they are', async () => {
    const documented = await readFile(join(checkout, 'docs/reference/cli.md'), 'utf8');
    const rows = [...documented.matchAll(/^\| (\d) \| (\w+) \|/gm)].map(([, code, name]) => [name, Number(code)]);
    expect(Object.fromEntries(rows)).toEqual(EXIT);
  });

  it('names every command in its reference', async () => {
    const documented = await readFile(join(checkout, 'docs/reference/cli.md'), 'utf8');
    for (const command of buildProgram().commands.filter((child) => child.name() !== 'dev'))
      expect(documented).toContain(`\`${command.name()}`);
  });
});

describe('against a gateway', () => {
  it('prints tables for people and the API object for programs', async () => {
    await using gateway = await served();
    const list = await gateway.run('app', 'list');
    expect([list.code, list.stdout.split('\n')[0]]).toEqual([0, 'NAME  SWARM  SYNC    HEALTH   SERVICES  REVISION    MESSAGE']);
    const json = await gateway.run('app', 'get', 'shop', '-o', 'json');
    expect(JSON.parse(json.stdout)).toEqual(await (await gateway.get('/api/v1/applications/shop')).json());
    expect((await gateway.run('app', 'get', 'shop', '-o', 'yaml')).stdout).toContain('name: shop');
    expect(`${list.stdout}${list.stderr}`).not.toContain('\u001b');
  });

  it('tells a wrong token, an unknown application and a broken server apart', async () => {
    await using gateway = await served();
    expect((await run(['app', 'list'], { ...gateway.env, HIVEKEEP_TOKEN: 'wrong' })).code).toBe(EXIT.forbidden);
    const missing = await gateway.run('app', 'get', 'nope');
    expect([missing.code, missing.stdout, missing.stderr]).toEqual([EXIT.notFound, '', expect.stringContaining("no application 'nope'")]);
    expect((await gateway.run('app', 'history', 'shop')).code).toBe(EXIT.unreachable);
  });

  it('tells in its status whether every swarm is well', async () => {
    await using gateway = await served();
    expect((await gateway.run('status')).code).toBe(0);
    await gateway.bus.views.put('home.swarm', { ...swarmView('home'), state: 'unreachable', message: 'the engine does not answer' });
    const status = await gateway.run('status');
    expect([status.code, status.stdout]).toEqual([
      EXIT.differs,
      expect.stringMatching(/home \(home\) +unreachable .*the engine does not answer/),
    ]);
  });

  it('reads the token from a file', async () => {
    await using gateway = await served();
    const file = join(folder, 'token');
    await writeFile(file, `${TOKEN}\n`);
    expect((await run(['app', 'list', '--token-file', file, '--server', gateway.gateway.url])).code).toBe(0);
  });

  it('shows differences with exit 1, and nothing at all without', async () => {
    let releases: unknown = [{ release: 'shop', action: 'upgrade', diff: '-image: a\n+image: b\n' }];
    await using gateway = await served({ answers: { 'reconciler.diff': () => ({ planned: true, releases }) } });
    const differs = await gateway.run('app', 'diff', 'shop');
    expect([differs.code, differs.stdout]).toEqual([EXIT.differs, '# shop: upgrade\n-image: a\n+image: b\n']);
    expect((await gateway.run('app', 'diff', 'shop', '--no-exit-code')).code).toBe(0);
    releases = null;
    expect(await gateway.run('app', 'diff', 'shop')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('waits for a sync to its end', async () => {
    const put = async (succeeded: boolean) => {
      const view = healthyView('shop');
      const error = succeeded ? {} : { error: 'the image was not found' };
      view.status.sync.lastSync = { revision: 'b', startedAt: 'x', finishedAt: new Date().toISOString(), succeeded, ...error };
      await gateway.bus.views.put('home.application.shop', view);
    };
    let succeeds = true;
    await using gateway = await served({
      answers: {
        'reconciler.sync': () => {
          setTimeout(() => void put(succeeds), 300);
          return { application: 'shop', accepted: true };
        },
      },
    });
    const well = await gateway.run('app', 'sync', 'shop', '--wait');
    expect([well.code, well.stdout]).toEqual([0, 'shop: synced at aaaaaaaaaa, healthy (1/1 services)\n']);
    succeeds = false;
    const badly = await gateway.run('app', 'sync', 'shop', '--wait');
    expect([badly.code, badly.stdout]).toEqual([EXIT.rollout, 'shop: sync failed: the image was not found\n']);
  });

  it('rolls back, and says what it is refused for', async () => {
    const asked: unknown[] = [];
    await using gateway = await served({
      answers: {
        'reconciler.rollback': (request) => {
          asked.push(request);
          if (asked.length === 1) return { application: 'shop', release: 'web', revision: 3, accepted: true };
          const issues = [{ rule: 'plan/secret-missing', path: 'secrets.key', message: 'secret key does not exist' }];
          throw new HivekeepError('policy/refused', 'refused before the first write, 1 reason', { issues });
        },
      },
    });
    const well = await gateway.run('app', 'rollback', 'shop', 'web', '--to', '3');
    expect([well.code, well.stdout]).toEqual([0, 'shop: rollback of web to revision 3 accepted\n']);
    expect(asked).toEqual([{ application: 'shop', actor: 'admin', release: 'web', to: 3 }]);
    const badly = await gateway.run('app', 'rollback', 'shop');
    expect([badly.code, badly.stderr]).toEqual([EXIT.differs, expect.stringContaining('secrets.key: secret key does not exist')]);
  });

  it('says of what changes something and was not answered in time that it may be done all the same', async () => {
    const late = () => {
      throw new HivekeepError('bus/timeout', 'no answer within 10000 ms');
    };
    await using gateway = await served({ answers: { 'reconciler.rollback': late, 'reconciler.diff': late } });
    const changing = await gateway.run('app', 'rollback', 'shop');
    expect([changing.code, changing.stderr]).toEqual([
      EXIT.timeout,
      expect.stringMatching(/no answer within .*; it may be done all the same/),
    ]);
    const reading = await gateway.run('app', 'diff', 'shop');
    expect([reading.code, reading.stderr]).toEqual([EXIT.timeout, expect.not.stringContaining('may be done')]);
  });

  it('gives up a wait in time', async () => {
    await using gateway = await served({ answers: { 'reconciler.sync': () => ({ application: 'shop', accepted: true }) } });
    const late = await gateway.run('app', 'sync', 'shop', '--wait', '--timeout', '500ms');
    expect([late.code, late.stdout]).toEqual([EXIT.timeout, expect.stringContaining('not finished in time')]);
  });

  it('follows events until it is interrupted', async () => {
    await using gateway = await served();
    const { child, done } = gateway.start('events', '--app', 'shop', '-o', 'json');
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    await vi.waitFor(
      async () => {
        await gateway.bus.events.publish(event('shop', 'hello'));
        expect(text).toContain('hello');
      },
      { timeout: 10_000, interval: 100 },
    );
    child.kill('SIGINT');
    expect((await done).code).toBe(0);
    expect(Event.parse(JSON.parse(text.split('\n')[0] ?? ''))).toMatchObject({ application: 'shop', message: 'hello' });
  });

  it('passes on holds, sweeps and freezes', async () => {
    const asked: Record<string, unknown> = {};
    const note = (verb: string, reply: unknown) => (request: unknown) => {
      asked[verb] = request;
      return reply;
    };
    await using gateway = await served({
      answers: {
        'reconciler.pause': note('pause', { application: 'shop' }),
        'reconciler.prune-approve': note('approve', { id: '7', releases: ['shop'] }),
        'reconciler.prune-forget-node': note('forget', { node: 'n1' }),
        'reconciler.freeze': () => {
          throw new HivekeepError('swarm/conflict', 'the lease changed; try again');
        },
      },
    });
    expect((await gateway.run('app', 'pause', 'shop', '--reason', 'launch')).code).toBe(0);
    expect((await gateway.run('prune', 'approve', '7', '--release', 'shop')).code).toBe(0);
    expect((await gateway.run('prune', 'forget-node', 'n1')).code).toBe(0);
    expect(asked).toEqual({
      pause: { application: 'shop', actor: 'admin', reason: 'launch' },
      approve: { id: '7', releases: ['shop'], actor: 'admin' },
      forget: { node: 'n1', actor: 'admin' },
    });
    const frozen = await gateway.run('freeze');
    expect([frozen.code, frozen.stderr]).toEqual([EXIT.differs, 'hivekeep: the lease changed; try again\n']);
  });

  it('probes health, and completes commands and names', async () => {
    await using gateway = await served();
    expect(await gateway.run('healthcheck')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await gateway.run('completion', '--words', '--', 'app', 'hi')).stdout).toBe('history\n');
    expect((await gateway.run('completion', '--words', '--', 'app', 'get', '')).stdout).toBe('shop\n');
    expect((await gateway.run('completion', '--words', '--', 'app', 'sync', '--w')).stdout).toBe('--wait\n');
  });
});

describe('up', () => {
  it('serves its API while the engine is away, shows that, logs no token, and stops on SIGTERM', async () => {
    const file = join(folder, 'up.yaml');
    await writeFile(
      file,
      'applications:\n  - {name: shop, source: {repoURL: "https://git.example/a.git", revision: main, compose: {files: [a.yml]}}}\n',
    );
    const port = await freePort();
    const env = { HIVEKEEP_ADMIN_TOKEN: 'canary-token', HIVEKEEP_SERVER: `http://127.0.0.1:${port}`, HIVEKEEP_LOG_LEVEL: 'debug' };
    const args = [
      '--config',
      file,
      '--data',
      join(folder, 'data'),
      '--listen',
      `127.0.0.1:${port}`,
      '--docker-host',
      `unix://${folder}/none.sock`,
    ];
    const { child, done } = start(['up', ...args], env);
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200), {
      timeout: 10_000,
      interval: 100,
    });
    const list = await run(['app', 'list', '-o', 'json'], env);
    expect(JSON.parse(list.stdout).applications).toMatchObject([
      { spec: { name: 'shop' }, status: { health: { state: 'unknown' }, error: expect.stringContaining("swarm 'default'") } },
    ]);
    expect((await run(['app', 'sync', 'shop'], env)).code).toBe(EXIT.unreachable);
    child.kill('SIGTERM');
    const ended = await done;
    expect([ended.code, ended.stdout]).toEqual([0, '']);
    expect(ended.stderr).toContain('gateway listens');
    expect(ended.stderr).not.toContain('canary');
  });
});

describe('without a server', () => {
  it('prints every problem of an app set', async () => {
    const file = join(folder, 'apps.yaml');
    await writeFile(
      file,
      'applications:\n  - name: Shop\n    bogus: 1\n  - name: shop\n    source: {repoURL: "https://git.example/a.git", revision: main}\n',
    );
    const ran = await run(['validate', '--file', file]);
    expect([ran.code, ran.stdout]).toEqual([EXIT.differs, '']);
    expect(ran.stderr).toMatch(/apps\.yaml:2:[\s\S]*apps\.yaml:3:[\s\S]*apps\.yaml:5:/);
  });

  it('plans from a local repository: what is refused, what is written, what is assumed', async () => {
    const repo = await mkdtemp(join(folder, 'repo-'));
    const git = (...args: string[]) =>
      promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: repo });
    const service = (volume: string) =>
      `version: "3.8"\nservices:\n  web:\n    image: nginx:1.27\n    networks: [outside]\n    volumes: ["${volume}"]\n`;
    const networks = 'networks: {outside: {external: true}}\nvolumes: {data: {}}\n';
    await writeFile(join(repo, 'good.yml'), service('data:/data') + networks);
    await writeFile(join(repo, 'bad.yml'), service('/var/run/docker.sock:/x') + networks);
    await git('init', '-qb', 'main');
    await git('add', '.');
    await git('commit', '-qm', 'first');
    const file = join(folder, 'plan.yaml');
    const application = (name: string) =>
      `  - {name: ${name}, allow: {networks: [outside]}, source: {repoURL: "https://git.example/shop.git", revision: main, compose: {files: [${name}.yml]}}}\n`;
    await writeFile(file, `applications:\n${application('good')}${application('bad')}${application('missing')}`);
    const good = await run(['plan', '--file', file, '--repo', repo, '--app', 'good']);
    expect(good).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/create service good_web[\s\S]*assumes network outside/),
    });
    const all = await run(['plan', '--file', file, '--repo', repo]);
    expect(all.code).toBe(EXIT.differs);
    expect(all.stdout).toMatch(/refused: .*host path '\/var\/run\/docker\.sock'/);
    expect(all.stdout).toMatch(/missing: .*missing\.yml/);
  });

  it('converts compose files', async () => {
    const file = join(folder, 'compose.yml');
    await writeFile(file, 'version: "3.8"\nservices:\n  web:\n    image: nginx:1.27\n');
    const ran = await run(['compose', 'convert', '-f', file, '--stack', 'demo']);
    expect(Object.keys(JSON.parse(ran.stdout))).toEqual(['networks', 'secrets', 'configs', 'services']);
    await writeFile(file, 'version: "3.8"\nservices:\n  web: {}\n');
    expect((await run(['compose', 'convert', '-f', file, '--stack', 'demo'])).code).toBe(EXIT.differs);
    expect((await run(['compose', 'convert'])).code).toBe(EXIT.usage);
  });

  it('lints compose files', async () => {
    const file = join(folder, 'lint.yml');
    await writeFile(file, 'services:\n  web:\n    image: nginx\n');
    const warned = await run(['compose', 'lint', '-f', file]);
    expect(warned).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^warning: .*lint\.yml:3: services\.web\.image: .*\[image-tag\]\n$/),
    });
    expect((await run(['compose', 'lint', '-f', file, '--strict'])).code).toBe(EXIT.differs);
    await writeFile(file, 'services:\n  web:\n    image: nginx:1\n    mem_limit: 64m\n');
    const refused = await run(['compose', 'lint', '-f', file, '-o', 'json']);
    expect(refused.code).toBe(EXIT.differs);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      errors: [{ line: 4, path: 'services.web.mem_limit' }, { rule: 'dialect' }],
      warnings: [],
    });
    expect(await run(['compose', 'lint', '-f', file, '--dialect', 'spec'])).toMatchObject({ code: 0, stdout: '' });
  });

  it('renders and lints charts', async () => {
    const chart = join(folder, 'charts/web');
    await mkdir(join(chart, 'templates'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), 'name: web\nversion: 1.0.0\nswarmcliVersion: ">= 2"\n');
    await writeFile(join(chart, 'templates/a.yaml'), 'services: {web: {image: "nginx:{{ .Values.tag }}"}}\n');
    await writeFile(join(chart, 'values.schema.json'), '{"$schema": "http://json-schema.org/draft-06/schema#", "required": ["tag"]}');
    expect(await run(['chart', 'template', chart, '--set', 'tag=1'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'services:\n  web:\n    image: nginx:1\n',
    });
    expect((await run(['chart', 'template', chart])).code).toBe(EXIT.differs);
    expect(await run(['chart', 'lint', chart])).toMatchObject({
      code: EXIT.differs,
      stderr: '',
      stdout: expect.stringMatching(/^error: values: must have required property 'tag'.*\n[\s\S]*1 errors/),
    });
  });

  it('takes the chart of the guide as it is written', async () => {
    const guide = await readFile(join(checkout, 'docs/guide.md'), 'utf8');
    const section = /^## Charts\n[\s\S]*?(?=^## )/m.exec(guide)?.[0] ?? '';
    const repository = join(folder, 'guide');
    for (const [, path = '', content = ''] of section.matchAll(/^`([^`]+)`:\n\n```\w+\n([\s\S]*?)^```/gm)) {
      await mkdir(dirname(join(repository, path)), { recursive: true });
      await writeFile(join(repository, path), content);
    }
    const commands = [...section.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^ {4}(.*)$/gm)].map(([, line = '']) => line);
    const script = [
      'set -e',
      `hivekeep() { '${process.execPath}' '${join(folder, 'out/main.js')}' "$@"; }`,
      'git init -q -b main . && git config user.name guide && git config user.email guide@example.invalid',
      ...commands,
    ];
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script.join('\n')], { cwd: repository, timeout: 60_000 });
    expect(stderr).toBe('');
    for (const told of [
      'web 0.1.0: 0 errors, 0 warnings',
      'HOST: shop.example',
      'dist/web-0.1.0.tgz sha256:',
      'create config shop_site-0.1.0',
    ])
      expect(stdout).toContain(told);
  });
});

it('reads a compose file from standard input, and says what is wrong with it once, with its place', async () => {
  const convert = (text: string) => {
    const { child, done } = start(['compose', 'convert', '-f', '-', '--stack', 's']);
    child.stdin?.end(text);
    return done;
  };
  const { code, stdout } = await convert('services: {web: {image: "x:1"}}');
  expect([code, JSON.parse(stdout).services]).toMatchObject([EXIT.ok, [{ Name: 's_web' }]]);
  const refused = await convert('services:\n  web:\n    imag: x\n');
  expect(refused.stderr.match(/-:3:5: services\.web\.imag: unknown key/g)).toHaveLength(1);
});
