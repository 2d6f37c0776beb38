import { setTimeout as sleep } from 'node:timers/promises';
import type { View } from '@hivekeep/contracts';
import { eventually, type Lab } from '@hivekeep/testkit';
import { emptied } from './bench-swarm.ts';
import { isLeaseCall, leaseIdOf, startController } from './controller.ts';
import { atMost, type Figure, forTheRecord } from './figure.ts';
import { cpuMs, memoryMib } from './process-usage.ts';
import { smallApplications } from './small-applications.ts';

/** The shortest interval there is, so that ticks are many; peers were measured for each tick, too. */
const INTERVAL_MS = 10_000;
const TICKS = 6;
const WINDOW_MS = TICKS * INTERVAL_MS;

/** (a), (b) and (e) of `up`: first apply of so many applications, then ticks in which nothing has changed. */
export async function idleTicks(lab: Lab, count: number): Promise<Figure[]> {
  await emptied(lab);
  const controller = await startController({
    lab,
    ...smallApplications(count),
    flags: ['--reconcile-interval', '10s', '--appset-interval', '1h'],
  });
  await using _ = controller;
  const synced = async () => {
    const views = await controller.views();
    return views.length === count && views.every(isSynced);
  };
  await eventually(synced, { timeoutMs: 240_000, intervalMs: 250, failFast: () => controller.process.ended });
  const firstApply = (performance.now() - controller.startedAt) / 1000;
  await sleep(INTERVAL_MS);

  const lease = await leaseIdOf(lab);
  controller.proxy.forget();
  controller.git.forget();
  const before = await cpuMs(controller.process.pid);
  await sleep(WINDOW_MS);
  const cpu = (await cpuMs(controller.process.pid)) - before;
  const calls = controller.proxy.calls.filter((call) => !isLeaseCall(call, lease));
  const lsRemotes = controller.git.requests.filter(({ path }) => path === 'info/refs').length;
  const memory = await memoryMib(controller.process.pid);
  const writes = calls.filter((call) => call.write).length;
  return [
    atMost(`a.calls.${count}`, calls.length / TICKS, 8, { unit: 'calls/tick' }),
    atMost(`a.writes.${count}`, writes, 0, { unit: 'writes' }),
    atMost(`a.ls-remotes.${count}`, lsRemotes / TICKS, 1, { unit: 'per tick' }),
    atMost(`a.cpu.${count}`, cpu / TICKS / count, 1, { unit: 'ms/application/tick', note: 'whole process, git included' }),
    forTheRecord(`a.lease-calls.${count}`, (controller.proxy.calls.length - calls.length) / TICKS, { unit: 'calls/tick' }),
    ...(count === 200
      ? [atMost('b.first-apply.200', firstApply, 9, { unit: 's', note: 'from the start of the process until the last is Synced' })]
      : [forTheRecord(`b.first-apply.${count}`, firstApply, { unit: 's' })]),
    atMost(`e.up.resident.${count}`, memory.resident, 160, { unit: 'MiB' }),
    forTheRecord(`e.up.anonymous.${count}`, memory.anonymous, { unit: 'MiB' }),
  ];
}

const isSynced = ({ status }: View) => status.sync.state === 'synced';
