import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretDigests } from './secret-digests.ts';

const question = { destination: 'east', scopedName: 'shop_token', content: Buffer.from('weak') };

describe('digests of secrets', () => {
  it('are scrypt with N 2^15 and r 8 over destination and name, the same in every process', async () => {
    const expected = scryptSync('weak', 'hivekeep/secret/v1\0east\0shop_token', 32, { N: 32768, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
    expect(await new SecretDigests().compute(question)).toBe(expected.toString('hex'));
  });

  it('are computed once and differ by destination, name and content', async () => {
    const digests = new SecretDigests();
    expect(digests.peek(question)).toBeUndefined();
    const digest = await digests.compute(question);
    expect(digests.peek(question)).toBe(digest);
    for (const other of [{ destination: 'west' }, { scopedName: 'shop_other' }, { content: Buffer.from('other') }])
      expect(digests.peek({ ...question, ...other })).toBeUndefined();
  });
});
