import { SwarmLease, SwarmWatcher, TICKET_MS } from '@hivekeep/swarm';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { expect, test } from 'vitest';
import { WriteGate } from './apply/gate.ts';
import { Daemon } from './daemon.ts';

const A_WHILE_MS = 150;

test('is quiet when no agent can carry out any more what it did not answer, in this term or the one before', async () => {
  await using engine = await FakeEngine.start();
  const swarm = engine.client();
  const binding = { controllerId: 'c', swarm: 'here', home: true, appSet: 'a' };
  const lease = new SwarmLease({ swarm, name: 'hivekeep.lease.c', binding });
  let passed = 0;
  const daemon = new Daemon(swarm, new SwarmWatcher({ swarm }), new WriteGate(lease), () => passed);
  const waited = async () => {
    const asked = performance.now();
    expect(await daemon.quiet(1_000)).toBe(true);
    return performance.now() - asked;
  };

  passed = TICKET_MS - A_WHILE_MS;
  expect(await waited()).toBeGreaterThan(A_WHILE_MS * 0.9);
  passed = TICKET_MS;
  daemon.mayLandUntil(TICKET_MS + A_WHILE_MS);
  expect(await waited()).toBeGreaterThan(A_WHILE_MS * 0.9);
  passed = TICKET_MS + A_WHILE_MS;
  expect(await waited()).toBeLessThan(A_WHILE_MS / 2);

  const hanging = Promise.withResolvers<void>();
  const write = daemon.tracked(() => hanging.promise);
  expect(await daemon.quiet(20)).toBe(false);
  hanging.resolve();
  await write;
  expect(await daemon.quiet(20)).toBe(true);
  swarm.close();
});
