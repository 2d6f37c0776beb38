import { initialStatus, type Status } from '@hivekeep/contracts';
import { expect, it } from 'vitest';
import { transitions } from './transitions.ts';

const status = (state: Status['sync']['state'], more: Partial<Status> = {}): Status => {
  const upgrade = state === 'out-of-sync' ? 1 : 0;
  return { ...initialStatus(), sync: { state, revision: 'c1', summary: { install: 0, upgrade, unchanged: 1 - upgrade } }, ...more };
};
const drifted: Partial<Status> = { drift: { state: 'detected', services: 1 } };

it.each<[string, Status, Status, string[]]>([
  ['a commit that changes something', status('synced'), status('out-of-sync'), ['drift-detected']],
  ['the same, seen again', status('out-of-sync'), status('out-of-sync'), []],
  ['a change by hand', status('synced'), status('synced', drifted), ['live-drift-detected']],
  ['the same, seen again', status('synced', drifted), status('synced', drifted), []],
  ['nothing', status('unknown'), status('synced'), []],
])('%s', (_, before, after, told) => {
  expect(transitions(before, after).map(({ type }) => type)).toEqual(told);
});
