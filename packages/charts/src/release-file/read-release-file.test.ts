import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { readReleaseFile } from './read-release-file.ts';

const read = (text: string, file = 'apps/swarmcli-release.yaml') => readReleaseFile(Buffer.from(text), file);
const issues = (text: string): string[] => {
  try {
    read(text);
  } catch (error) {
    if (HivekeepError.is(error, 'source/invalid')) return (error.issues ?? []).map(({ path, message }) => `${path ?? ''}: ${message}`);
    throw error;
  }
  return [];
};
const release = (fields: string) => `releases: [{name: a, chart: ./c${fields === '' ? '' : `, ${fields}`}}]`;

describe('a release file', () => {
  it('gives its releases in order, paths from the root of the tree', () => {
    const text = `
apiVersion: v1
owner: team
repositories: [{name: main, url: https://charts.example}]
releases:
- {name: web, chart: main/web, version: 1.10, wave: 2, values: [./v.yaml, ../s.yaml, plain.yaml]}
- {name: db, chart: ../charts/db, wave: -1}
`;
    expect(read(text)).toEqual({
      owner: 'team',
      repositories: [{ name: 'main', url: 'https://charts.example' }],
      releases: [
        {
          name: 'web',
          chart: 'main/web',
          location: { kind: 'repository', repository: 'main', chart: 'web', version: '1.10' },
          values: ['apps/v.yaml', 's.yaml', 'apps/plain.yaml'],
          wave: 2,
        },
        { name: 'db', chart: '../charts/db', location: { kind: 'path', path: 'charts/db' }, values: [], wave: -1 },
      ],
    });
  });

  it('is read to the end of its first document', () => {
    expect(read(`${release('')}\n---\nnonsense: 1`).releases).toHaveLength(1);
  });

  it.each<[string, string, RegExp]>([
    ['an unknown key', `verison: 1\n${release('')}`, /verison: unknown key "verison"/],
    ['an unknown key of a release', release('environments: {}'), /releases\[0\]\.environments: unknown key/],
    ['another apiVersion', `apiVersion: v2\n${release('')}`, /apiVersion: expected v1/],
    ['no releases', 'releases: []', /there are no releases/],
    ['nothing', '', /there are no releases/],
    ['a release twice', 'releases: [{name: a, chart: ./c}, {name: a, chart: ./c}]', /"a" is declared twice/],
    ['a repository twice', `repositories: [{name: a, url: u}, {name: a, url: v}]\n${release('')}`, /"a" is declared twice/],
    ['no name', 'releases: [{chart: ./c}]', /releases\[0\]\.name: is required/],
    ['no chart', 'releases: [{name: a}]', /releases\[0\]\.chart: is required/],
    ['no url', `repositories: [{name: a}]\n${release('')}`, /repositories\[0\]\.url: is required/],
    ['a name with a space', 'releases: [{name: a b, chart: ./c}]', /"a b" is no name/],
    ['a repository that is a path', `repositories: [{name: ../x, url: u}]\n${release('')}`, /"\.\.\/x" is no name/],
    ['an owner with a colon', `owner: "a:b"\n${release('')}`, /must not contain ":"/],
    ['a chart without a version', 'releases: [{name: a, chart: r/c}]', /version: is required/],
    ['a path with a version', release('version: 1.0.0'), /goes with repository\/chart only/],
    ['a chart that is neither', 'releases: [{name: a, chart: c, version: 1.0.0}]', /must be repository\/chart/],
    ['an absolute path', release('values: [/etc/v.yaml]'), /is absolute/],
    ['a path that leads out', release('values: [../../v.yaml]'), /leads out of the repository/],
    ['a wave that is no number', release('wave: first'), /expected a whole number/],
    ['a key twice', `${release('')}\nowner: a\nowner: b`, /already defined/],
  ])('with %s is refused', (_name, text, message) => {
    expect(issues(text)).toEqual([expect.stringMatching(message)]);
  });

  it('says everything that is wrong at once', () => {
    expect(issues('owner: "a:b"\nreleases: [{name: a b, chart: r/c}, {chart: ./c, version: 1}]')).toHaveLength(5);
  });
});
