import { expect, it } from 'vitest';
import { indexSnapshot } from '../snapshot-index.ts';
import { liveService, snapshot, spec } from '../testing/builders.ts';
import { intent, objects, record, releaseInput } from '../testing/release-input.ts';
import { planKey } from './plan-key.ts';
import { planRelease } from './plan-release.ts';

const manifest = 'services:\n  web:\n    image: app:1\n'.repeat(40);
const intents = [intent()];

/** The median of a few runs, so that a busy machine does not decide. */
function medianMs(run: () => void): number {
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return times.sort((a, b) => a - b)[4] as number;
}

it('plans 200 unchanged releases in well under 1 ms of CPU each, also where every field must be compared', () => {
  const specs = Array.from({ length: 200 }, (_, index) => spec(`r${index}_web`, { Env: ['A=1', 'B=2'] }));
  const index = indexSnapshot(snapshot({ services: specs.map((one) => liveService(structuredClone(one))) }));
  const inputs = specs.map((one, at) => {
    const base = releaseInput({
      index,
      objects: objects({ services: [one] }),
      records: [record({ manifest, owner: `cd/c1/shop:release/r${at}` })],
    });
    return { ...base, release: { ...base.release, name: `r${at}`, manifest } };
  });
  const quick = medianMs(() => {
    for (const input of inputs) expect(planRelease(input).action).toBe('unchanged');
  });
  const whole = medianMs(() => {
    for (const input of inputs) expect(planRelease({ ...input, intents }).action).toBe('unchanged');
  });
  expect(quick / 200).toBeLessThan(0.2);
  expect(whole / 200).toBeLessThan(0.5);
});

it('gives a key that changes with all that a plan depends on', () => {
  const services = (version: number) => indexSnapshot(snapshot({ services: [liveService(spec('shop_web'), { version })] }));
  const input = releaseInput({ index: services(1), records: [record()] });
  const key = planKey('sha256:a', 'p', input);
  expect(planKey('sha256:a', 'p', { ...input, index: services(1) })).toBe(key);
  const others = [
    planKey('sha256:b', 'p', input),
    planKey('sha256:a', 'q', input),
    planKey('sha256:a', 'p', { ...input, index: services(2) }),
    planKey('sha256:a', 'p', { ...input, records: [record({ revision: 2 })] }),
    planKey('sha256:a', 'p', { ...input, intents }),
    planKey('sha256:a', 'p', { ...input, epoch: 8 }),
  ];
  expect(new Set([key, ...others]).size).toBe(others.length + 1);
});
