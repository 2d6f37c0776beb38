import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReleasePlan, Step } from '../plan.ts';
import { spec } from '../testing/builders.ts';
import { diffText } from './diff-text.ts';

const web = spec('shop_web');
const update: Step = {
  kind: 'service',
  action: 'update',
  name: 'shop_web',
  wave: 1,
  id: 'i',
  version: 1,
  spec: web,
  liveSpec: web,
  restarts: true,
  reasons: ['image', 'env'],
};
const plan = (rest: Partial<ReleasePlan> = {}): ReleasePlan => ({
  release: 'shop',
  wave: 0,
  action: 'upgrade',
  reasons: [],
  steps: [],
  refusals: [],
  warnings: [],
  ...rest,
});

describe('diffText', () => {
  it('tells writes with their reasons, then the manifest line by line', () => {
    expect(diffText(plan({ steps: [update] }), 'a\nb\nc\n', 'a\nx\nc\n')).toBe(
      '# update service shop_web: image, env, tasks restart\n  a\n- b\n+ x\n  c\n',
    );
    expect(diffText(plan({ action: 'install' }), '', 'a\nb\n')).toBe('+ a\n+ b\n');
    expect(diffText(plan({ action: 'unchanged' }), 'a', 'a')).toBe('');
  });
  it('gives both texts back: lines without + are the old one, without - the new one', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 }).map((lines) => lines.map((line) => `${line}\n`).join(''));
    const side = (diff: string, drop: string): string =>
      diff
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith(drop))
        .map((line) => `${line.slice(2)}\n`)
        .join('');
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = diffText(plan(), before, after);
        expect([side(diff, '+'), side(diff, '-')]).toEqual([before, after]);
      }),
    );
  });
});
