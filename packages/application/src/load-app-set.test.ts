import { HivekeepError, Spec } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { formatIssue, type LoadOptions, loadAppSet, MAX_APP_SET_BYTES } from './index.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const options: LoadOptions = { file: 'apps.yaml', mode: 'online' };

function load(text: string, more: Partial<LoadOptions> = {}) {
  return loadAppSet(bytes(text), { ...options, ...more });
}

function refusal(text: string | Uint8Array, more: Partial<LoadOptions> = {}): HivekeepError {
  try {
    loadAppSet(typeof text === 'string' ? bytes(text) : text, { ...options, ...more });
  } catch (error) {
    if (error instanceof HivekeepError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

const lines = (text: string, more: Partial<LoadOptions> = {}) => (refusal(text, more).issues ?? []).map(formatIssue);

/** One application whose source and other fields are given as flow mappings. */
const app = (fields = '', source = 'releaseFile: release.yaml', name = 'shop') =>
  `applications:\n  - name: ${name}\n    source: {repoURL: 'https://git.example/r', revision: main, ${source}}\n${fields && `    ${fields}\n`}`;

describe('a valid set', () => {
  it('has its defaults applied', () => {
    const { applications, digest, warnings } = load(app('', 'compose: {files: [stack.yaml], env: {PORT: 8080, ON: yes}}'));
    expect(applications).toEqual([
      {
        name: 'shop',
        source: {
          repoURL: 'https://git.example/r',
          revision: 'main',
          compose: { files: ['stack.yaml'], env: { PORT: '8080', ON: 'yes' }, release: 'shop' },
        },
        allow: {},
        destination: {},
        syncPolicy: { automated: false },
        driftDetection: 'manifest',
      },
    ]);
    expect(Spec.parse(applications[0])).toEqual(applications[0]);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(warnings).toEqual([]);
  });

  it('keeps what was said, durations as Go prints them', () => {
    const [spec] = load(
      app(
        'syncPolicy: {automated: yes, interval: 90s, timeout: "", historyMax: 0, prune: true, pruneVolumes: on, wait: false}\n    driftDetection: live\n    destination: {swarm: edge-1}\n    strict: true\n    registryAuth: hub\n    allow: {hostPaths: [/], secrets: [a.b]}',
      ),
    ).applications;
    expect(spec).toMatchObject({
      syncPolicy: { automated: true, interval: '1m30s', historyMax: 0, prune: true, pruneVolumes: true },
      driftDetection: 'live',
      destination: { swarm: 'edge-1' },
      strict: true,
      registryAuth: 'hub',
      allow: { hostPaths: ['/'], secrets: ['a.b'] },
    });
    expect(spec?.syncPolicy).not.toHaveProperty('wait');
    expect(spec?.syncPolicy).not.toHaveProperty('timeout');
  });

  it.each([
    ['apiVersion v1', `apiVersion: v1\n${app()}`],
    ['a name with . _ -', app('', undefined, 'edge-1.eu_x')],
    ['a path that stays inside', app('', 'releaseFile: a/../b')],
    [
      'a repository name',
      app('', "chart: {ref: swarmcli-charts_v2.1/x, version: '1', repositories: [{name: swarmcli-charts_v2.1, url: 'https://x'}]}"),
    ],
    ['pruneFirst with pruneResources', app('syncPolicy: {pruneFirst: true, pruneResources: true}')],
    ['pruneResources alone', app('syncPolicy: {pruneResources: true}')],
    [
      'the same release on two swarms',
      `${app('destination: {swarm: a}', 'chart: {path: c, release: r}')}${app('destination: {swarm: b}', 'chart: {path: c, release: r}', 'other').replace('applications:\n', '')}`,
    ],
    [
      'anchors and merges',
      `applications:\n  - &a\n    name: one\n    source: {repoURL: 'https://x', revision: 1.0, releaseFile: r}\n  - {<<: *a, name: two}\n`,
    ],
    [
      'empty texts as absent',
      app('{registryAuth: "", driftDetection: "", destination: {swarm: ""}}'.slice(1, -1).replaceAll(', ', '\n    ')),
    ],
    ['a byte order mark', `\ufeff${app()}`],
    ['an alias of self', app('self: true', 'chart: {path: c}')],
  ])('accepts %s', (_name, text) => {
    expect(load(text).ok).toBe(true);
  });

  it('of exactly 4 MiB loads, one byte more does not', () => {
    const text = app();
    const padded = `${text}#${'x'.repeat(MAX_APP_SET_BYTES - text.length - 1)}`;
    expect(load(padded).ok).toBe(true);
    expect(refusal(`${padded}x`)).toMatchObject({ code: 'appset/too-large' });
    expect(refusal('x'.repeat(5 * 1024 * 1024)).code).toBe('appset/too-large');
  });
});

describe('one refusal', () => {
  it.each<[string, string, RegExp]>([
    ['nothing', '', /^apps\.yaml:1:1: applications: there are no applications/],
    ['an empty document', '---\n', /there are no applications/],
    ['a second document', `${app()}---\n${app()}`, /^apps\.yaml: expected one document, found another/],
    ['an empty list', 'applications: []', /there are no applications/],
    ['a null list', 'applications:', /there are no applications/],
    ['no mapping', '- a', /^apps\.yaml:1:1: expected a mapping, found a list$/],
    ['apiVersion', `apiVersion: v2\n${app()}`, /^apps\.yaml:1:13: apiVersion: expected v1/],
    [
      'an unknown key',
      app('syncPolicey: {}'),
      /^apps\.yaml:4:5: applications\[0\] "shop": syncPolicey: unknown key "syncPolicey"; did you mean "syncPolicy"\?$/,
    ],
    ['an unknown inner key', app('syncPolicy: {automatd: true}'), /syncPolicy\.automatd: .*did you mean "automated"/],
    ['a far-off key', app('foo: 1'), /unknown key "foo"; expected one of name, source/],
    ['a name with a space', app('', undefined, 'Edge Prod'), /name: "Edge Prod" is no name/],
    ['a name with a colon', app('', undefined, '"a:b"'), /name: "a:b" is no name/],
    ['an empty name', app('', undefined, '""'), /applications\[0\]: name: is required/],
    ['releaseFile and chart', app('', 'releaseFile: a, chart: {path: b}'), /source\.chart: ambiguous: releaseFile and chart/],
    ['chart and compose', app('', 'chart: {path: b}, compose: {files: [a]}'), /ambiguous: chart and compose/],
    ['no kind of source', app('', 'releaseFile: ~'), /source: one of releaseFile, chart and compose is needed/],
    ['an absolute releaseFile', app('', 'releaseFile: /etc/passwd'), /must be relative/],
    ['a releaseFile outside', app('', 'releaseFile: ../../x'), /escapes the repository/],
    ['a chart path with version', app('', 'chart: {path: c, version: "1"}'), /chart\.version: goes with ref only/],
    [
      'a ref without version',
      app('', "chart: {ref: a/b, repositories: [{name: a, url: 'https://x'}]}"),
      /chart\.version: is required with ref/,
    ],
    [
      'a ref without slash',
      app('', "chart: {ref: b, version: '1', repositories: [{name: a, url: 'https://x'}]}"),
      /must be repository\/chart/,
    ],
    ['a ref without repositories', app('', "chart: {ref: a/b, version: '1'}"), /chart\.repositories: at least one/],
    ['path and ref', app('', 'chart: {path: c, ref: a/b}'), /only one may be/],
    ['neither path nor ref', app('', 'chart: {release: c}'), /one of path and ref is needed/],
    [
      'a repository name with dots',
      app('', 'chart: {path: c, repositories: [{name: a, url: u}, {name: ../../../x, url: u}]}'),
      /repositories\[1\]\.name: "\.\.\/\.\.\/\.\.\/x" is no name/,
    ],
    ['a hidden repository name', app('', 'chart: {path: c, repositories: [{name: .hidden, url: u}]}'), /repositories\[0\]\.name/],
    ['an empty values entry', app('', 'chart: {path: c, values: [a, ""]}'), /values\[1\]: must not be empty/],
    ['a null values entry', app('', 'chart: {path: c, values: [a, ~]}'), /values\[1\]: must not be empty/],
    ['driftDetection in another case', app('driftDetection: Live'), /driftDetection: expected manifest or live, found "Live"/],
    ['manifest for self', app('self: true\n    driftDetection: manifest', 'chart: {path: c}'), /driftDetection: must be live/],
    ['self without a chart', app('self: true'), /self: needs a chart source/],
    ['historyMax below zero', app('syncPolicy: {historyMax: -1}'), /historyMax: must not be negative/],
    ['historyMax as a fraction', app('syncPolicy: {historyMax: 1.5}'), /historyMax: expected a whole number, found 1\.5/],
    ['pruneVolumes without prune', app('syncPolicy: {pruneVolumes: true}'), /pruneVolumes: needs prune/],
    ['pruneFirst alone', app('syncPolicy: {pruneFirst: true}'), /pruneFirst: needs prune or pruneResources/],
    ['a negative interval', app('syncPolicy: {interval: -5s}'), /interval: must not be negative, found -5s/],
    ['a bare number as duration', app('syncPolicy: {timeout: 90}'), /timeout: expected a duration such as 30s or 5m, found 90/],
    ['a bool as text', app('syncPolicy: {wait: maybe}'), /wait: expected true or false, found maybe/],
    ['a relative host path', app('allow: {hostPaths: [srv/app]}'), /hostPaths\[0\]: "srv\/app" must be absolute/],
    ['a host path with a slash at its end', app('allow: {hostPaths: [/srv/app/]}'), /must be in its simplest form, "\/srv\/app"/],
    ['a host path that climbs', app('allow: {hostPaths: [/srv/app/../..]}'), /simplest form, "\/"/],
    ['an empty host path', app('allow: {hostPaths: [""]}'), /hostPaths\[0\]: must not be empty/],
    ['a secret with a slash', app('allow: {secrets: [team/x]}'), /secrets\[0\]: "team\/x" is no name/],
    ['registryAuth that climbs', app('registryAuth: ..'), /registryAuth: expected the name of a Docker secret/],
    ['a swarm name with a dot', app('destination: {swarm: a.b}'), /destination\.swarm: "a\.b" is no name of a swarm/],
    ['no compose files', app('', 'compose: {env: {A: b}}'), /compose\.files: at least one file/],
    ['a compose file outside', app('', 'compose: {files: [../x]}'), /compose\.files\[0\]: .*escapes/],
    ['a null variable', app('', 'compose: {files: [x], env: {A: }}'), /compose\.env\.A: expected a text, found null/],
    ['a list as text', app('', 'compose: {files: [x], env: {A: [1]}}'), /compose\.env\.A: expected a text, found a list/],
    ['an unknown dialect', app('', 'compose: {files: [x], dialect: podman}'), /dialect: expected auto, docker, spec/],
    ['a bad release name', app('', 'compose: {files: [x], release: a/b}'), /compose\.release: "a\/b" is no name/],
    ['a chart path outside', app('', 'chart: {path: ../x}'), /chart\.path: .*escapes/],
    ['a repository that is a text', app('', 'chart: {path: x, repositories: [a]}'), /repositories\[0\]: expected a mapping, found a$/],
    ['a repository without URL', app('', 'chart: {path: x, repositories: [{name: a}]}'), /repositories\[0\]\.url: is required/],
    ['a variable with a space', app('', 'compose: {files: [x], env: {"A B": c}}'), /compose\.env: "A B" is no name of a variable/],
    ['a list that is a text', app('', 'chart: {path: x, values: a}'), /chart\.values: expected a list, found a$/],
    ['a file that is a list', app('', 'compose: {files: [[a]]}'), /compose\.files\[0\]: expected a text, found a list/],
    [
      'an environment that is a text',
      app('', 'compose: {files: [x], env: A=b}'),
      /compose\.env: expected a mapping of names to texts, found A=b/,
    ],
    ['a revision that is a list', app().replace('revision: main', 'revision: [a]'), /source\.revision: expected a text, found a list/],
    ['no source', 'applications: [{name: shop}]', /^apps\.yaml:1:16: applications\[0\] "shop": source: is required$/],
    ['a source that is a text', 'applications: [{name: shop, source: git}]', /source: expected a mapping, found git/],
    ['no revision', app().replace('revision: main, ', ''), /source\.revision: is required/],
    ['plain http', app().replace('https:', 'http:'), /repoURL: is not encrypted; .*--allow-insecure-git git\.example/],
    ['a local path', app().replace('https://git.example/r', '/srv/r'), /repoURL: .*--allow-local-git/],
    ['a tab', 'applications:\n\t- name: x', /^apps\.yaml:2:1: .*tab/],
    ['NUL', 'applications: "\0"', /control characters are not allowed/],
    ['deep nesting', '['.repeat(5000), /collections nest deeper than 64/],
  ])('%s', (_name, text, message) => {
    expect(lines(text)).toEqual([expect.stringMatching(message)]);
    expect(refusal(text).code).toBe('appset/invalid');
  });

  it('bytes that are no UTF-8', () => {
    expect(refusal(new Uint8Array([...bytes('applications: '), 0xff]))).toMatchObject({ code: 'appset/invalid', issues: [{ line: 1 }] });
  });

  it('an alias bomb', () => {
    const levels = 'abcdefghi'.split('').map((key, i) => `${key}: &${key} [${(i === 0 ? 'x,' : `*${'abcdefgh'[i - 1]},`).repeat(10)}]`);
    expect(refusal(levels.join('\n'))).toMatchObject({ code: 'appset/invalid' });
    const merges = 'bcdefghijk'.split('').map((key, i) => `  ${key}: &${key} {<<: [${`*${'abcdefghij'[i]},`.repeat(20)}]}`);
    expect(refusal(`applications: []\nx:\n  a: &a {k: v}\n${merges.join('\n')}`).code).toBe('appset/invalid');
  });

  it('a key such as __proto__, without harm', () => {
    expect(lines(app('__proto__: {self: true}'))).toEqual([expect.stringMatching(/unknown key "__proto__"/)]);
    const [spec] = load(app('', 'compose: {files: [x], env: {__proto__: "1"}}')).applications;
    expect(Object.keys(spec?.source.compose?.env ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).self).toBeUndefined();
  });
});

it('names every problem at once', () => {
  const text = `applications:
  - name: shop
    source: {repoURL: 'https://x', releaseFile: /a}
    syncPolicy: {interval: soon, historyMax: -1}
  - name: shop
    nmae: x
    source: {repoURL: 'https://x', revision: main, chart: {path: c, release: web}}
    syncPolicy: {interval: 1s, interval: 2m}
  - name: other
    self: true
    source: {repoURL: 'https://x', revision: main, chart: {path: c, release: web}}
  - 5
`;
  expect(lines(text)).toEqual([
    'apps.yaml:3:13: applications[0] "shop": source.revision: is required: a branch, a tag or a commit',
    'apps.yaml:3:49: applications[0] "shop": source.releaseFile: "/a" must be relative to the root of the repository',
    'apps.yaml:4:28: applications[0] "shop": syncPolicy.interval: expected a duration such as 30s or 5m, found soon',
    'apps.yaml:4:46: applications[0] "shop": syncPolicy.historyMax: must not be negative; 0 keeps every revision',
    'apps.yaml:5:11: applications[1] "shop": name: "shop" is the name of applications[0] already',
    'apps.yaml:6:5: applications[1] "shop": nmae: unknown key "nmae"; did you mean "name"?',
    'apps.yaml:8:32: applications[1] "shop": syncPolicy.interval: mapping key "interval" already defined at line 8',
    'apps.yaml:11:13: applications[2] "other": source: "shop" and "other" both make the release "web" on the home swarm; a release has one owner',
    'apps.yaml:12:5: applications[3]: expected a mapping, found 5',
  ]);
  expect(refusal(text).message).toMatch(/^apps\.yaml:3:13: .* \(and 8 more\)$/);
});

it('names duplicate keys where it reads nothing else', () => {
  expect(lines(app('other: {a: 1, a: 2}'))).toEqual([
    expect.stringMatching(/^apps\.yaml:4:5: .*unknown key "other"/),
    'apps.yaml:4:19: mapping key "a" already defined at line 4',
  ]);
});

it('stops listing where no list helps any more', () => {
  const found = lines(`applications:\n${'  - nmae: x\n'.repeat(5000)}`);
  expect(found).toHaveLength(201);
  expect(found.at(-1)).toBe('apps.yaml: more than 200 problems; the others are not listed');
});

it('refuses a second self, naming both', () => {
  const text = `${app('self: true', 'chart: {path: c}')}${app('self: true', 'chart: {path: c}', 'second').replace('applications:\n', '')}`;
  expect(lines(text)).toEqual([expect.stringMatching(/"second": self: "shop" and "second" are both self/)]);
});

it('runs a short interval at 10 s online and refuses it offline', () => {
  const text = app('syncPolicy: {interval: 1ms}');
  expect(load(text).warnings).toEqual([
    {
      rule: 'interval-clamped',
      message: 'application "shop": the interval 1ms is run at 10s',
      file: 'apps.yaml',
      line: 4,
      path: 'applications[0].syncPolicy.interval',
    },
  ]);
  expect(lines(text, { mode: 'offline' })).toEqual([expect.stringMatching(/syncPolicy\.interval: must be at least 10s/)]);
});
