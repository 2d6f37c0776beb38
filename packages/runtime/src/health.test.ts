import { describe, expect, it } from 'vitest';
import { Health } from './health.ts';

describe('Health', () => {
  it('is well when every check of the kind is, and names the one that is not', async () => {
    const health = new Health();
    health.add('live', 'loop', () => undefined);
    const remove = health.add('ready', 'bus', async () => {
      throw new Error('not connected');
    });
    expect(await health.report('live')).toEqual({ ok: true, checks: [{ name: 'loop', ok: true }] });
    expect(await health.report('ready')).toEqual({ ok: false, checks: [{ name: 'bus', ok: false, message: 'not connected' }] });
    remove();
    expect(await health.report('ready')).toEqual({ ok: true, checks: [] });
  });

  it('does not wait for a check that hangs', async () => {
    const health = new Health();
    health.add('live', 'stuck', () => new Promise(() => undefined));
    expect(await health.report('live')).toMatchObject({ ok: false, checks: [{ name: 'stuck', ok: false }] });
  });
});
