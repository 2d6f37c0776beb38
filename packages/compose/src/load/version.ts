import type { Problems } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { type Dict, member, printValue } from '../value.ts';

const NEWEST = 13;

/** The minor number of the `version` a file states; absent, empty and `3` are the newest. What is no 3.x is a problem. */
export function statedVersion(document: Dict, problems: Problems): number {
  const stated = member(document, 'version');
  if (stated === undefined || stated === '' || stated === '3') return NEWEST;
  const text = printValue(stated);
  const minor = /^3(?:\.(\d|1[0-3]))?$/.exec(text)?.[1];
  if (typeof stated !== 'string' && (minor !== undefined || text === '3'))
    problems.add(['version'], `expected a string, found the number ${text}: put it in quotes`);
  else if (minor === undefined)
    problems.add(['version'], `expected "3", "3.0" to "3.${NEWEST}" or no version at all, found ${describeValue(stated)}`);
  return minor === undefined ? NEWEST : Number(minor);
}
