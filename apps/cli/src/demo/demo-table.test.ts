import { initialStatus, type Spec, type View } from '@hivekeep/contracts';
import { expect, it } from 'vitest';
import { DemoTable } from './demo-table.ts';

const view = (healthy: number, error?: string): View => {
  const status = initialStatus();
  const health = { ...status.health, services: { healthy, total: 2 } };
  const spec = { name: 'web', destination: {} } as Spec; // all that a table reads
  return { spec, status: { ...status, health, ...(error !== undefined && { error }) } };
};

function shown(isTTY: boolean, views: readonly View[]): string {
  let text = '';
  const table = new DemoTable({ isTTY, columns: 60, write: (more) => (text += more) });
  for (const each of views) table.show([each]);
  return text;
}

it('appends a line for each change, not for an error that is worded anew', () => {
  const lines = shown(false, [view(0, 'since 1 s'), view(0, 'since 2 s'), view(1), view(1)])
    .trim()
    .split('\n');
  expect(lines).toEqual(['web: unknown, unknown, 0/2 services (since 1 s)', '  web: unknown, unknown, 1/2 services']);
});

it('draws over what it drew on a terminal', () => {
  expect(shown(true, [view(0), view(1)])).toContain('\u001b[2A\u001b[J');
});
