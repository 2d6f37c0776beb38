import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './index.ts';

describe('lineDiff', () => {
  it.each<[string, string, string[]]>([
    ['', '', []],
    ['a\n', 'a\n\n\n', ['  a']],
    ['', 'a\nb\n', ['+ a', '+ b']],
    ['a\nb\n', '', ['- a', '- b']],
    ['a\nb\nc', 'a\nx\nc', ['  a', '- b', '+ x', '  c']],
    ['c\nb', 'b\nb', ['- c', '  b', '+ b']],
    ['a\n\nb', 'a\n\nb\nc', ['  a', '  ', '  b', '+ c']],
  ])('of %j and %j', (before, after, lines) => expect(lineDiff(before, after)).toEqual(lines));

  it('holds both texts, and no more changes than needed', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const diff = lineDiff(before.join('\n'), after.join('\n'));
        const side = (marks: string) => diff.filter((line) => marks.includes(line[0] as string)).map((line) => line.slice(2));
        expect(side(' -')).toEqual(before);
        expect(side(' +')).toEqual(after);
        expect(lineDiff(before.join('\n'), before.join('\n')).every((line) => line.startsWith('  '))).toBe(true);
      }),
    );
  });

  it('stays bounded on large texts', () => {
    const side = (name: string) => Array.from({ length: 20_000 }, (_, i) => `${name} ${i}`);
    const start = performance.now();
    const diff = lineDiff(['same', ...side('old'), 'end'].join('\n'), ['same', ...side('new'), 'end'].join('\n'));
    expect(diff).toHaveLength(40_002);
    expect([diff[0], diff[1], diff[20_001], diff.at(-1)]).toEqual(['  same', '- old 0', '+ new 0', '  end']);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
