import { expect, it } from 'vitest';
import { aWorld } from '../testing/a-world.ts';
import type { ApplicationPlan } from './application-plan.ts';
import { checkClaims } from './check-claims.ts';

const refused = (application: string, declaring: string[], owner?: string): boolean => {
  const record = { record: { owner: owner && `cd/default/${owner}:release/web` } };
  const world = aWorld({ records: new Map(owner ? [['web', [record]]] : []) as never }); // its owner is all that is read of a record
  const releases = [{ artifact: { name: 'web' } }] as never as ApplicationPlan['releases']; // its name is all that is read of a release
  return checkClaims({ releases, world }, { application, controllerId: 'default', declaring: () => declaring }).length > 0;
};

it.each<[string, string[], string | undefined, string[]]>([
  ['alone', ['shop'], undefined, []],
  ['alone, deployed by one that is gone', ['shop'], 'left', []],
  ['new to both', ['shop', 'blog'], undefined, ['blog']],
  ["the later one's already", ['shop', 'blog'], 'blog', ['shop']],
  ['deployed by one that is gone', ['shop', 'blog'], 'left', ['blog']],
])('a release that is %s', (_, declaring, owner, expected) => {
  expect(declaring.filter((application) => refused(application, declaring, owner))).toEqual(expected);
});
