import { describe, expect, it } from 'vitest';
import { openSealed, sealingKeys, sealTo } from './seal.ts';

describe('sealed contents', () => {
  it.each([0, 1, 500_000])('come back whole (%d bytes)', (size) => {
    const keys = sealingKeys();
    const bytes = Buffer.alloc(size, 7);
    expect(openSealed(keys.privateKey, sealTo(keys.publicKey, bytes))).toEqual(bytes);
  });

  it('hold nothing of the content and differ each time', () => {
    const keys = sealingKeys();
    const first = sealTo(keys.publicKey, Buffer.from('canary-secret'));
    expect(Buffer.from(first, 'base64').includes('canary')).toBe(false);
    expect(sealTo(keys.publicKey, Buffer.from('canary-secret'))).not.toBe(first);
  });

  it('do not open with another key, cut or changed', () => {
    const keys = sealingKeys();
    const sealed = sealTo(keys.publicKey, Buffer.from('content'));
    const changed = Buffer.from(sealed, 'base64');
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    const cut = Buffer.from(sealed, 'base64').subarray(0, 40).toString('base64');
    expect(() => openSealed(sealingKeys().privateKey, sealed)).toThrowError(/another key/);
    for (const bad of [changed.toString('base64'), cut, '']) expect(() => openSealed(keys.privateKey, bad)).toThrowError(/damaged/);
  });

  it('are refused for what is no public key', () => {
    expect(() => sealTo('c2hvcnQ=', Buffer.from('x'))).toThrowError(/32 bytes/);
  });
});
