import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compress, decodeBody, decompress, encodeBody, isCompressed } from './envelope.ts';

const LIMIT = 1024 * 1024;

describe('the body of a message', () => {
  it('comes back as JSON carries it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(decodeBody(encodeBody(value, LIMIT, 'x'))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(decodeBody(encodeBody(undefined, LIMIT, 'x'))).toBe(null);
  });

  it('is compressed only when large', () => {
    expect(isCompressed(encodeBody('x'.repeat(100), LIMIT, 'x'))).toBe(false);
    const large = encodeBody('x'.repeat(2 * LIMIT), LIMIT, 'x');
    expect(isCompressed(large)).toBe(true);
    expect(decodeBody(large)).toBe('x'.repeat(2 * LIMIT));
  });

  it('is refused when it does not fit compressed, or is beyond all bounds', () => {
    expect(() => encodeBody(randomBytes(LIMIT).toString('base64'), LIMIT, 'reply')).toThrow(/^reply: expected at most 1048576 bytes/);
    expect(() => encodeBody('x'.repeat(17 * LIMIT), LIMIT, 'reply')).toThrow('bytes, found');
  });

  it('is never unpacked beyond the limit', () => {
    const bomb = compress(Buffer.alloc(64 * LIMIT));
    expect(bomb.length).toBeLessThan(LIMIT);
    expect(() => decodeBody(bomb)).toThrow('after decompression');
    expect(() => decompress(bomb, LIMIT)).toThrow('after decompression');
  });

  it.each([['{'], [''], ['(\xb5/\xfd broken']])('that is damaged is refused: %j', (text) => {
    expect(() => decodeBody(Buffer.from(text, 'latin1'))).toThrow('expected');
  });
});
