import { GoMap } from '@hivekeep/goyaml';
import { describe, expect, it } from 'vitest';
import { externalResources, undeclaredProblems } from '../requirements/external-resources.ts';
import { readRequirements } from '../requirements/read-requirements.ts';
import { applySet } from '../values/set-values.ts';
import { bindProblems } from './bind-mounts.ts';
import { checkEnvironment } from './environment.ts';
import { resolveFiles } from './file-references.ts';
import { interpolationProblems } from './interpolation.ts';
import { readManifestDocument, viewManifest } from './manifest-view.ts';
import { reservedProblems } from './reserved-names.ts';

const NGINX = Buffer.from('server {}\n');
const chartFiles = new Map([
  ['files/nginx.conf', NGINX],
  ['files/app.env', Buffer.from('A=1\nB=\n')],
]);
const values = applySet(new GoMap(), 'config=text,empty=,number=1,map.a=1');
const resolve = (manifest: string) => resolveFiles(readManifestDocument(manifest), { files: chartFiles, values });
const reference = {
  config: (path: string) => `configs: {c: {file: ${path}}}`,
  secret: (path: string) => `secrets: {s: {file: ${path}}}`,
  env_file: (path: string) => `services: {w: {env_file: ${path}}}`,
};
const KEYS = { config: 'configs.c.file', secret: 'secrets.s.file', env_file: 'services.w.env_file' };

describe('file references', () => {
  const bad: [path: string, message: RegExp][] = [
    ['/etc/passwd', /is absolute/],
    ['../../x', /leads out/],
    ['files/absent', /is not in the chart/],
    [`"files/\${X}"`, /holds a variable/],
    ['nginx.conf', /write files\/nginx\.conf/],
    ['files/../../etc/x', /leads out/],
    ['files/../nginx.conf', /not under files/],
  ];
  it.each(bad.flatMap(([path, message]) => (['config', 'secret', 'env_file'] as const).map((kind) => [kind, path, message] as const)))(
    'a %s of %s is refused',
    (kind, path, message) => {
      expect(resolve(reference[kind](path))).toEqual({
        files: null,
        issues: [{ path: KEYS[kind], rule: 'file-reference', message: expect.stringMatching(message) }],
      });
    },
  );

  it('are read under their simplest path, only what is referred to', () => {
    expect(resolve('configs: {c: {file: ./files/nginx.conf}}')).toEqual({ files: new Map([['files/nginx.conf', NGINX]]), issues: [] });
    expect(resolve('services: {w: {image: a}}')).toEqual({ files: null, issues: [] });
  });

  it('are all looked at, whatever stands beside them', () => {
    const { issues } = resolve('services: {bad: [1], w: {env_file: [files/app.env, x]}}\nconfigs: 7\nsecrets: {s: {file: y}, t: null}');
    expect(issues.map(({ path }) => path)).toEqual(['secrets.s.file', 'services.w.env_file']);
  });

  it('may be values, of configs and of texts alone', () => {
    expect(resolve('configs: {c: {file: values/config}}').files?.get('values/config')).toEqual(Buffer.from('text'));
    expect(resolve('secrets: {c: {file: values/config}}').issues).toHaveLength(1);
    expect(resolve('services: {c: {env_file: values/config}}').issues).toHaveLength(1);
    for (const path of ['missing', 'empty', 'number', 'map', 'map..a'])
      expect(resolve(`configs: {c: {file: values/${path}}}`).issues).toHaveLength(1);
  });
});

describe('variables', () => {
  it.each<[string, string, string]>([
    ['in the environment', `services: {w: {environment: {A: "\${FOO:-x}"}}}`, 'services.w.environment.A'],
    ['in a label', 'services: {w: {labels: {a: $FOO}}}', 'services.w.labels.a'],
    ['in a part of a command', 'services: {w: {command: [sh, "$1"]}}', 'services.w.command[1]'],
    ['in the name of a config', `configs: {c: {name: "c-\${V}"}}`, 'configs.c.name'],
    ['in an extension', 'x-a: {b: "100$"}', 'x-a.b'],
    ['behind a dollar', 'a: $$$B', 'a'],
  ])('%s are refused with their place and never their value', (_name, manifest, path) => {
    const [issue, ...more] = interpolationProblems(viewManifest(manifest));
    expect([issue?.path, issue?.rule, more]).toEqual([path, 'interpolation', []]);
    expect(issue?.message).not.toMatch(/FOO|\$1|V}/);
  });

  it.each(['a: $$HOME', 'a: "$$$$"', '$A: 1', 'a: 1'])('%s is none', (manifest) => {
    expect(interpolationProblems(viewManifest(manifest))).toEqual([]);
  });

  it.each<[string, string]>([
    ['a: &x {b: 1}\nc: {<<: *x}', 'merge-key'],
    ['a: {1: x}', 'key-type'],
  ])('%s is refused', (manifest, rule) => {
    expect(interpolationProblems(viewManifest(manifest))).toEqual([expect.objectContaining({ rule })]);
  });
});

it.each(['a: 1\na: 2', '- a', '', 'a: ['])('%j is no manifest', (manifest) => {
  expect(() => viewManifest(manifest)).toThrow(expect.objectContaining({ code: 'yaml/invalid' }));
});

describe('environment', () => {
  const check = (manifest: string) => checkEnvironment(readManifestDocument(manifest), chartFiles);

  it('tells which variables are empty', () => {
    const manifest = 'services: {a: {environment: {X: "", Y: , Z: z}}, b: {environment: [V, W=, U=u], env_file: files/app.env}}';
    expect(check(manifest)).toEqual({ empty: ['B', 'V', 'W', 'X', 'Y'], issues: [] });
  });

  it('refuses what the docker CLI needs itself', () => {
    expect(check('services: {a: {environment: {PATH: ""}}}').issues).toHaveLength(1);
    expect(check('services: {a: {environment: [docker_host]}}').issues).toHaveLength(1);
    expect(check('services: {a: {environment: {PATH: /bin}}}').issues).toEqual([]);
  });

  it.each<[string, RegExp]>([
    ['A=1\nB', /B has no =/],
    ['A=1\n=2', /no name/],
  ])('refuses a line of an env file', (content, message) => {
    const document = readManifestDocument('services: {a: {env_file: ./files/e}}');
    const { issues } = checkEnvironment(document, new Map([['files/e', Buffer.from(content)]]));
    expect(issues).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
  });
});

describe('bind mounts', () => {
  const volumes = (list: string) => bindProblems(readManifestDocument(`services: {w: {volumes: [${list}]}}`));
  it.each([
    '"./data:/d"',
    '"../x:/d"',
    '"~/d:/d"',
    '"C:x:/d"',
    '{type: bind, source: d, target: /d}',
    '{type: npipe, source: x, target: y}',
  ])('%s is refused', (volume) => {
    expect(volumes(volume)).toEqual([expect.objectContaining({ path: 'services.w.volumes[0]', rule: 'bind-source' })]);
  });
  it.each([
    '"/srv:/d"',
    '"data:/d"',
    '"my.data:/d"',
    '"./x"',
    "'C:\\x:/d'",
    '"c:/x:/d"',
    "'\\\\host\\share:/d'",
    '{type: bind, source: /d, target: /d}',
    '{type: volume, source: d, target: /d}',
  ])('%s passes', (volume) => {
    expect(volumes(volume)).toEqual([]);
  });
});

describe('names of release records', () => {
  const check = (manifest: string) => reservedProblems(readManifestDocument(manifest), 'shop');
  it.each([
    'configs: {c: {labels: {com.swarmcli.type: release}}}',
    'secrets: {c: {labels: [com.swarmcli.release=x]}}',
    'configs: {c: {name: Swarmcli.Release.x.v1}}',
    'configs: {c: {external: {name: swarmcli.release.x.v1}}}',
    'configs: {swarmcli.release.x.v1: {external: true}}',
    'configs: {swarmcli.release.x.v1: {external: "yes"}}',
  ])('%s is refused', (manifest) => {
    expect(check(manifest)).toHaveLength(1);
  });
  it('what a stack makes of its key counts', () => {
    expect(reservedProblems(readManifestDocument('configs: {x: {}}'), 'swarmcli.release.a')).toHaveLength(1);
  });
  it.each([
    'services: {w: {deploy: {labels: {com.swarmcli.release: x}}}}',
    'configs: {swarmcli.release.x: {file: files/a}}',
    'configs: {c: {labels: {com.swarmclix: a}}}',
  ])('%s passes', (manifest) => {
    expect(check(manifest)).toEqual([]);
  });
});

describe('requirements', () => {
  const read = (text: string) => readRequirements(Buffer.from(text), 'requirements.yaml');
  it('get their defaults', () => {
    expect(
      read('networks: [{name: n}, {name: m, driver: x, attachable: false, autoCreate: false, description: d}]\nsecrets: [{name: s}]'),
    ).toEqual({
      networks: [
        { name: 'n', driver: 'overlay', attachable: true, autoCreate: true },
        { name: 'm', driver: 'x', attachable: false, autoCreate: false, description: 'd' },
      ],
      secrets: [{ name: 's' }],
      configs: [],
    });
    expect(read('')).toEqual({ networks: [], secrets: [], configs: [] });
  });

  it('declare everything external', () => {
    const document = readManifestDocument(
      'networks: {a: {external: true}, b: {external: true, name: real}, c: {external: {name: r}}, d: {external: false}, e: null}\nsecrets: {s: {external: true}}',
    );
    const external = externalResources(document);
    expect(external).toEqual({ networks: ['a', 'r', 'real'], secrets: ['s'], configs: [], issues: [] });
    expect(undeclaredProblems(external, read('networks: [{name: a}, {name: r}, {name: real}, {name: unused}]'))).toEqual([
      { path: 'secrets', rule: 'undeclared', message: expect.stringContaining('secret s is not declared') },
    ]);
    expect(externalResources(readManifestDocument('configs: {a: {external: {name: r}, name: q}}')).issues).toHaveLength(1);
  });
});
