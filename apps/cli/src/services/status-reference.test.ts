import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DriftReason, DriftState, HealthState, SwarmState, SwarmView, SweepItem, SyncAction, SyncState } from '@hivekeep/contracts';
import { expect, it } from 'vitest';
import { checkout } from '../checkout.ts';

const [, section = ''] = readFileSync(join(checkout, 'docs/operations.md'), 'utf8').split('## How to read a status\n');
const cells = [...section.slice(0, section.indexOf('\n## ')).matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell);

/** Values named in the first cells of rows for this word. */
function documented(word: string): string[] {
  const own = cells.filter((cell) => cell.startsWith(`${word} \``));
  return own.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value));
}

it.each([
  ['sync', SyncState.members],
  ['health', HealthState.members],
  ['diff', SyncAction.members],
  ['drift', DriftState.members],
  ['drift of a service', DriftReason.members],
  ['swarm', SwarmState.members],
  ['swarm', SwarmView.shape.state.members],
  ['coverage', SwarmView.shape.coverage.unwrap().members],
  ['sweep', SweepItem.shape.state.members],
] as const)('docs/operations.md says what %s %j mean', (word, members) => {
  expect([...documented(word), ...documented('anything')]).toEqual(expect.arrayContaining([...members]));
});
