import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SubjectTable, subjectMatcher } from './subject-table.ts';

const tokens = fc.array(fc.stringMatching(/^[a-z0-9]{1,4}$/), { minLength: 1, maxLength: 6 });

describe('subjectMatcher', () => {
  it('lets * stand for exactly one token', () => {
    fc.assert(
      fc.property(tokens, fc.nat(), (words, at) => {
        const subject = words.join('.');
        const pattern = words.map((word, index) => (index === at % words.length ? '*' : word)).join('.');
        expect(subjectMatcher(subject)(subject)).toBe(true);
        expect(subjectMatcher(pattern)(subject)).toBe(true);
        expect(subjectMatcher(pattern)(`${subject}.more`)).toBe(false);
        expect(subjectMatcher(`${pattern}.*`)(subject)).toBe(false);
      }),
    );
  });
});

describe('SubjectTable', () => {
  it('gives one receiver of each queue, in turn, until it leaves', () => {
    const table = new SubjectTable();
    const got: string[] = [];
    const leave = table.add('hk.v1.*.source.build', 'source', () => got.push('a'));
    table.add('hk.v1.*.source.build', 'source', () => got.push('b'));
    const send = () => {
      const receivers = table.receivers('hk.v1.east.source.build');
      expect(receivers).toHaveLength(1);
      receivers[0]?.({ subject: '', headers: {}, body: new Uint8Array(), respond: () => undefined });
    };
    for (let count = 0; count < 4; count++) send();
    expect(got.sort()).toEqual(['a', 'a', 'b', 'b']);
    leave();
    send();
    expect(got.at(-1)).toBe('b');
    expect(table.receivers('hk.v1.east.source.other')).toEqual([]);
  });
});
