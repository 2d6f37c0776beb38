import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { decode, decodeAll, decodeFirst, decodeNodes, decodeValues, entriesOf, GoMap, GoTime, nodeToPlain, toPlain } from './index.ts';

const refusal = (text: string | Uint8Array, options = {}) => {
  try {
    decode(text, { file: 'apps.yaml', ...options });
  } catch (error) {
    if (HivekeepError.is(error, 'yaml/invalid')) return error.message;
    throw error;
  }
  throw new Error('was accepted');
};

describe('values', () => {
  it('keeps ints, floats, times and strings apart', () => {
    const value = decode('{i: 017, u: 18446744073709551615, f: 1.0, t: 2020-01-01, s: "1", y: yes}') as GoMap;
    expect([...value.values()].slice(0, 3)).toEqual([15n, 18446744073709551615n, 1]);
    expect(value.get('t')).toBeInstanceOf(GoTime);
    expect(toPlain(value)).toEqual({ i: 15, u: 18446744073709551615n, f: 1, t: '2020-01-01T00:00:00Z', s: '1', y: 'yes' });
  });

  it('gives a key such as __proto__ no meaning', () => {
    const plain = toPlain(decode('__proto__: {polluted: true}\nconstructor: 1'));
    expect(Object.getPrototypeOf(plain)).toBeNull();
    expect(Object.keys(plain as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('copies what an alias stands for', () => {
    const value = decode('a: &x {n: 1}\nb: *x') as GoMap;
    (value.get('a') as GoMap).set('n', 2n);
    expect((value.get('b') as GoMap).get('n')).toBe(1n);
  });

  it('reads one document, or all', () => {
    expect(decode('a: 1\n---\n[bad')).toEqual(new GoMap([['a', 1n]]));
    expect(decodeAll('a\n---\nb')).toEqual(['a', 'b']);
    expect(decodeValues('')).toEqual(new GoMap());
    const more = ['a: 1\n---\nb: 2', 'a: 1\n---\n[bad', '---\n---\na: 1', 'a: 1\n---\n---\nb', 'a: 1\n...\nb'];
    const no = ['', '# a\n', 'a: 1', '---\na: 1\n', 'a: 1\n---\n', 'a: 1\n...\n', 'a: |\n  ---\n', 'a: 1\n---\n# b\n'];
    expect([...more, ...no].filter((text) => decodeFirst(text).goesOn)).toEqual(more);
  });
});

describe('nodes', () => {
  it('say where keys and values stand', () => {
    const root = decodeNodes('services:\n  web:\n    image: x\n');
    if (root?.kind !== 'mapping') throw new Error('no mapping');
    const web = entriesOf(root)[0]?.value;
    expect(web).toMatchObject({ kind: 'mapping', line: 2, column: 3 });
    if (web?.kind !== 'mapping') throw new Error('no mapping');
    expect(web.entries[0]?.key).toMatchObject({ text: 'web', line: 2, column: 3 });
    expect(nodeToPlain(web)).toEqual({ web: { image: 'x' } });
  });

  it('count columns in characters', () => {
    const root = decodeNodes('"😀é": x');
    expect(root?.kind === 'mapping' && root.entries[0]?.value.column).toBe(7);
  });

  it('apply merges: own keys first, then the first map', () => {
    const root = decodeNodes('<<: [{a: 1, b: 1}, {b: 2, c: 2}]\na: 0');
    if (root?.kind !== 'mapping') throw new Error('no mapping');
    expect(entriesOf(root).map(({ key, value, merged }) => [key, value.kind === 'scalar' && value.text, merged])).toEqual([
      ['a', '0', false],
      ['b', '1', true],
      ['c', '2', true],
    ]);
  });
});

describe('refusals name file, line and column', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((key, i) => `${key}: &${key} [${`*${'abcdefg'[i]},`.repeat(10)}]`),
  ].join('\n');
  it.each([
    ['tab', 'a:\n\tb: 1', /^apps\.yaml:2:1: .*tab/],
    ['duplicate keys', 'a: 1\na: 2\nb: 1\nb: 2', /^apps\.yaml:2:1: mapping key "a" already defined at line 1 \(and 1 more\)/],
    ['NUL', 'a: x\0y', /^apps\.yaml:1:5: control characters are not allowed, found U\+0000/],
    ['no UTF-8', new Uint8Array([0x61, 0x3a, 0x20, 0xff]), /^apps\.yaml:1:4: the text is not valid UTF-8/],
    ['lone surrogate', 'a: \ud800', /^apps\.yaml:1:4: control characters/],
    ['alias bomb', bomb, /excessive aliasing/],
    ['alias to itself', 'a: &x [*x]', /^apps\.yaml:1:8: anchor 'x' value contains itself/],
    ['deep flow nesting', '['.repeat(100_000), /^apps\.yaml:1:1001: collections nest deeper than 1000/],
    ['deep block nesting', '- '.repeat(100_000), /collections nest deeper than 1000/],
    ['unknown anchor', 'a: *b', /^apps\.yaml:1:4: unknown anchor 'b'/],
    ['unclosed quote', 'a: "x\nb: 1', /^apps\.yaml:1:4: found unexpected end of stream/],
  ])('%s', (_name, text, message) => {
    expect(refusal(text)).toMatch(message);
  });

  it('bytes beyond the limit', () => {
    expect(decode('a: é', { limits: { bytes: 5 } })).toEqual(new GoMap([['a', 'é']]));
    expect(refusal('a: é', { limits: { bytes: 4 } })).toMatch(/has 5 bytes; at most 4/);
  });

  it('a merge that leads back', () => {
    const root = decodeNodes('a: &x\n  <<: *x');
    const inner = root?.kind === 'mapping' ? root.entries[0]?.value : undefined;
    if (inner?.kind !== 'mapping') throw new Error('no mapping');
    expect(() => entriesOf(inner)).toThrow(/merge keys lead further/);
  });
});

it('reads megabytes in a bounded time', () => {
  const text = Array.from({ length: 10_000 }, (_, i) => `key${i}:\n  - name: "value ${i}"\n    flow: {a: 1, b: [x, y]}\n`).join('');
  const start = performance.now();
  expect((decode(text) as GoMap).size).toBe(10_000);
  expect(performance.now() - start).toBeLessThan(15_000);
});
