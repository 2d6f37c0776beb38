import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '@hivekeep/gateway';
import '@hivekeep/node-agent';
import '@hivekeep/reconciler';
import { startMonitor } from '@hivekeep/runtime';
import '@hivekeep/source';
import { expect, it, onTestFinished } from 'vitest';
import { checkout } from '../checkout.ts';

it('docs/operations.md names every metric of our own that services expose, and no other', async () => {
  const monitor = await startMonitor({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => monitor.stop());
  const text = await (await fetch(`${monitor.url}/metrics`)).text();
  const exposed = [...text.matchAll(/^# TYPE (hivekeep_\w+)/gm)].map(([, name]) => name);
  const rows = readFileSync(join(checkout, 'docs/operations.md'), 'utf8').matchAll(/^\| (`hivekeep_.*?) \|/gm);
  const documented = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(hivekeep_\w+)/g)].map(([, name]) => name));
  expect(documented.toSorted()).toEqual(exposed.toSorted());
});
