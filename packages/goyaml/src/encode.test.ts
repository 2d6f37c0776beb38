import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, fromPlain, GoBytes, GoMap, toPlain } from './index.ts';

describe('encode', () => {
  it('writes a record with an indent of four', () => {
    expect(encode(fromPlain({ b10: ['x', { c: 'l1\nl2\n' }], b2: {}, y: '1:30' }), { indent: 4 })).toBe(
      'b2: {}\nb10:\n    - x\n    - c: |\n        l1\n        l2\n"y": "1:30"\n',
    );
  });

  it('writes bytes that are no text as !!binary', () => {
    expect(encode(new GoMap([['k', new GoBytes(new Uint8Array([0xff, 0xef]))]]))).toBe('k: !!binary /+8=\n');
  });

  it('escapes a space that does not break as libyaml does, where it escapes at all', () => {
    expect(encode(['\ufeffa\xa0', '\ta\xa0'])).toBe('- "\\uFEFF\\x61\\_"\n- "\\ta\xa0"\n');
  });

  it('is read back as it was', () => {
    // yaml.v3 itself loses a line break at the start of a text, and the spaces after U+2028 and U+2029.
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !/^[\n\x85\u2028\u2029]|[\u2028\u2029]/.test(value));
    const tree = fc.letrec((tie) => ({
      node: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
      list: fc.array(tie('node'), { maxLength: 4 }),
      map: fc.dictionary(text, tie('node'), { maxKeys: 4 }),
    })).node;
    fc.assert(
      fc.property(tree, fc.constantFrom(2, 4), (value, indent) => {
        const plain = toPlain(fromPlain(value));
        expect(toPlain(decode(encode(fromPlain(value), { indent })))).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });
});
