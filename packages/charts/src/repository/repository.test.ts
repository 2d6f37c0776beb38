import { describe, expect, it } from 'vitest';
import { sameChartVersion } from '../compat/versions.ts';
import { checkDigest, digestOf, publishedDigest } from './archive-digest.ts';
import { archiveUrl, findVersion, readRepositoryIndex } from './repository-index.ts';

const read = (text: string) => readRepositoryIndex(Buffer.from(text), 'main/index.yaml');
const INDEX = `
apiVersion: v1
generated: 2026-01-01
entries:
  web:
  - {name: web, version: 0.1.10, urls: [web.tgz, other.tgz], digest: abc, description: d, appVersion: 1.10}
  - {version: v0.1.3+b1, urls: ["https://cdn.example/web.tgz"]}
  empty: []
`;
const find = (version: string, chart = 'web') => findVersion(read(INDEX), { repository: 'main', chart, version }, sameChartVersion);

describe('an index', () => {
  it('is read, texts as they are written', () => {
    expect(read(INDEX).get('web')).toEqual([
      { name: 'web', version: '0.1.10', url: 'web.tgz', digest: 'abc', description: 'd', appVersion: '1.10' },
      { name: 'web', version: 'v0.1.3+b1', url: 'https://cdn.example/web.tgz' },
    ]);
    expect(read('').size).toBe(0);
  });

  it.each(['entries: [', '- a', 'entries: [a]', 'entries: {web: {a: 1}}'])('%s is refused', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'chart/invalid' }));
  });

  it.each([
    ['0.1.3', 'v0.1.3+b1'],
    ['v0.1.3', 'v0.1.3+b1'],
    ['v0.1.10', '0.1.10'],
  ])('has %s as %s', (version, found) => {
    expect(find(version).version).toBe(found);
  });

  it.each(['^0.1', '0.1', '', '0.1.x', 'latest'])('does not have %s', (version) => {
    expect(() => find(version)).toThrow(expect.objectContaining({ code: 'chart/not-found', message: expect.stringContaining('0.1.10') }));
  });

  it('starts relative addresses at the repository', () => {
    expect(archiveUrl('https://charts.example/a/', find('0.1.10'))).toBe('https://charts.example/a/web.tgz');
    expect(archiveUrl('https://charts.example/a', find('0.1.3'))).toBe('https://cdn.example/web.tgz');
  });
});

describe('a digest', () => {
  const hex = digestOf(Buffer.from('a'));
  it.each([hex, `sha256:${hex}`, `SHA256:${hex.toUpperCase()}`])('%s is that of the archive', (digest) => {
    const published = publishedDigest(digest, 'web');
    expect(published).toBe(hex);
    expect(() => checkDigest(Buffer.from('a'), hex, 'web')).not.toThrow();
    expect(() => checkDigest(Buffer.from('b'), hex, 'web')).toThrow(/the index says/);
  });
  it.each(['md5:abc', 'sha512:abc', 'abc'])('%s is refused', (digest) => {
    expect(() => publishedDigest(digest, 'web')).toThrow(expect.objectContaining({ code: 'chart/invalid' }));
  });
  it('may be missing', () => expect(publishedDigest(undefined, 'web')).toBeUndefined());
});
