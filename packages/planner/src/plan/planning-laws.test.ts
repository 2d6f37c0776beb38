import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STACK_LABEL } from '../labels.ts';
import type { LiveNetwork, LiveObject, SwarmSnapshot } from '../live.ts';
import type { Step } from '../plan.ts';
import { indexSnapshot } from '../snapshot-index.ts';
import { liveService, snapshot, spec } from '../testing/builders.ts';
import { intent, objects, record, releaseInput } from '../testing/release-input.ts';
import { planRelease } from './plan-release.ts';

const ours = { [STACK_LABEL]: 'shop' };
const network = (rest: Partial<LiveNetwork> = {}): LiveNetwork => ({
  id: 'n1',
  name: 'shop_default',
  driver: 'overlay',
  scope: 'swarm',
  attachable: false,
  internal: false,
  ingress: false,
  labels: ours,
  options: {},
  createdAt: 0,
  ...rest,
});
const object = (name: string, rest: Partial<LiveObject> = {}): LiveObject => ({
  id: `id-${name}`,
  name,
  version: 3,
  labels: ours,
  createdAt: 0,
  ...rest,
});
const summary = (steps: readonly Step[]): string[] => steps.map((step) => `${step.action} ${step.kind} ${step.name}`);

/** What a swarm holds after some steps of a plan: the state of the world a later plan starts from. */
function carryOut(before: SwarmSnapshot, steps: readonly Step[]): SwarmSnapshot {
  let { services, networks, configs, secrets } = before;
  for (const step of steps) {
    if (step.kind === 'network')
      networks = [...networks, network({ id: `n-${step.name}`, name: step.name, labels: step.spec.Labels ?? {} })];
    else if (step.kind === 'service') {
      const version = step.action === 'update' ? step.version + 1 : 12;
      services = [...services.filter(({ spec: { Name } }) => Name !== step.name), liveService(step.spec, { version })];
    } else if (step.action === 'create') {
      const made = object(step.name, { labels: step.spec.Labels ?? {} });
      if (step.kind === 'config') configs = [...configs, made];
      else secrets = [...secrets, made];
    }
  }
  return { ...before, services, networks, configs, secrets };
}

describe('laws of planning', () => {
  const names = ['shop_a', 'shop_b', 'shop_c'];
  const service = fc.record({
    name: fc.constantFrom(...names),
    env: fc.subarray(['A=1', 'B=2']),
    replicas: fc.integer({ min: 0, max: 3 }),
  });
  const specs = (list: { name: string; env: string[]; replicas: number }[]) =>
    list.map(({ name, env, replicas }) => spec(name, { Env: env }, { Mode: { Replicated: { Replicas: replicas } } }));
  const stack = fc.uniqueArray(service, { selector: ({ name }) => name, minLength: 1 });

  it('converges, stays home, and stops safely after any number of steps', () => {
    fc.assert(
      fc.property(stack, stack, fc.nat({ max: 8 }), (wanted, running, stopAfter) => {
        const declared = objects({
          services: specs(wanted),
          networks: [{ Name: 'shop_default', Labels: ours }],
          configs: [{ Name: 'shop_c1', Labels: ours, Data: 'eA==' }],
        });
        const stranger = liveService(spec('blog_web'));
        const start = snapshot({ services: [...specs(running).map((one) => liveService(one)), stranger] });
        const input = (world: SwarmSnapshot) =>
          releaseInput({
            objects: declared,
            index: indexSnapshot(world),
            records: [record({ manifest: 'm0' })],
            intents: [intent({ version: 11, names: { services: names } })],
          });
        const first = planRelease(input(start));
        expect(first.refusals).toEqual([]);
        const stopped = carryOut(start, first.steps.slice(0, stopAfter));
        const second = planRelease(input(stopped));
        expect(second.refusals).toEqual([]);
        expect(summary(second.steps)).toEqual(summary(first.steps.slice(stopAfter)));
        const done = carryOut(stopped, second.steps);
        expect(planRelease(input(done)).steps).toEqual([]);
        expect(done.services).toContain(stranger);
        for (const one of start.services) expect(done.services.some(({ spec: { Name } }) => Name === one.spec.Name)).toBe(true);
      }),
    );
  });
});
