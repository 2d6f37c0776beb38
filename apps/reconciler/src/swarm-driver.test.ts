import { driverContract } from '@hivekeep/swarm/testing';
import { aSpec } from '@hivekeep/testkit';
import { expect, it } from 'vitest';
import { Registrations } from './registrations.ts';
import { SwarmDriver } from './swarm-driver.ts';

driverContract('SwarmDriver', () => {
  const registrations = new Registrations();
  return {
    driver: new SwarmDriver({ registrations, changed: () => undefined }),
    item: (name) => aSpec({ name }),
    nameOf: ({ spec }) => spec.name,
    failureOf: ({ status }) => status.error,
    fail: (name, error) => {
      const entry = registrations.get(name);
      if (entry) entry.status = { ...entry.status, error };
    },
    kept: () => new Map(registrations.all().map((entry) => [entry.name, entry])),
  };
});

it('tells what joined, left and is declared otherwise', async () => {
  const changes: unknown[] = [];
  const driver = new SwarmDriver({ registrations: new Registrations(), changed: (change) => changes.push(change) });
  const signal = new AbortController().signal;
  await driver.reconcile({ generation: 1, complete: true, desired: [aSpec({ name: 'shop' })], signal });
  const desired = [aSpec({ name: 'shop', driftDetection: 'live' }), aSpec({ name: 'blog' })];
  await driver.reconcile({ generation: 2, complete: true, desired, signal });
  await driver.reconcile({ generation: 3, complete: true, desired, signal });
  expect(changes).toEqual([
    { removed: [], replaced: [], added: ['shop'] },
    { removed: [], replaced: ['shop'], added: ['blog'] },
  ]);
});
