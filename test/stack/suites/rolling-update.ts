import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '@hivekeep/contracts';
import { eventually } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { EventFollower, holesIn } from '../support/event-follower.ts';
import { type Installation, NEXT_IMAGE } from '../support/installation.ts';
import { OWN_SERVICES } from '../support/metrics.ts';
import { containersOf, covered, gone, runningTasks, settled } from '../support/observe.ts';
import { replicated } from '../support/stacks.ts';

const long = process.env.HIVEKEEP_TEST_LONG === '1';
const ROLLED_MS = 240_000;
const COMMIT_EVERY_MS = 1_000;
/** How long a graceful stop may take. */
const STOPPED_MS = 10_000;

/** What is replaced: every service by the next image, or, so that it is not long, the reconcilers by themselves. */
const replaced = long ? OWN_SERVICES : ['reconciler'];

/** Another version takes the place of this one. */
export function rollingUpdate(hive: () => Installation): void {
  test('tasks are replaced while commits come: no event is lost, the lease changes hands at most once, what runs goes on', async () => {
    const { declare, lab, get } = hive();
    const change = (turn: number) =>
      declare(['shop', 'rolls'], { 'shop.yaml': replicated(2), 'rolls.yaml': replicated(0, `turn ${turn}`) });
    await settled(hive(), 'rolls', await change(0));
    await settled(hive(), 'shop');
    const tasks = await runningTasks(lab, 'shop_web');
    await using events = new EventFollower(hive());
    await eventually(async () => {
      await settled(hive(), 'rolls', await change(-Date.now()));
      return events.heard.length > 0;
    });

    const before = await updates(hive());
    await begin(hive());
    const rolled = new AbortController();
    const over = async () => {
      const now = await updates(hive());
      if (now.some((each, index) => each === before[index] || !each.endsWith('completed'))) throw new Error(`found ${now.join(', ')}`);
    };
    const rolling = eventually(over, { timeoutMs: ROLLED_MS, intervalMs: 1_000 }).finally(() => rolled.abort());
    const made: string[] = [];
    for (let turn = 1; !rolled.signal.aborted; turn += 1) {
      made.push(await change(turn));
      await sleep(COMMIT_EVERY_MS, undefined, { signal: rolled.signal }).catch(() => undefined);
    }
    await rolling;
    const last = made.at(-1);
    await settled(hive(), 'rolls', last);
    await covered(hive(), 5);

    const told = (type: string) => events.heard.flatMap(({ event }) => (event?.type === type ? [event] : []));
    await eventually(() => told('sync-succeeded').some(({ revision }) => revision === last));
    expect(holesIn(events.heard)).toEqual([]);
    expect(events.heard.filter(({ event }) => event === undefined)).toEqual([]);
    expect(told('lease-taken').length).toBeLessThanOrEqual(1);
    const { releases } = await get<History>('/applications/rolls/history');
    const recorded = releases.flatMap(({ revisions }) => revisions.flatMap(({ commit = '' }) => (made.includes(commit) ? [commit] : [])));
    expect(recorded.length).toBeGreaterThan(1);
    const succeeded = told('sync-succeeded').map(({ revision }) => revision);
    expect(recorded.filter((commit) => !succeeded.includes(commit))).toEqual([]);
    expect(await runningTasks(lab, 'shop_web')).toEqual(tasks);
    expect(await exitCodes(hive())).toEqual(new Set([0]));
    const stops = await stopTimes(hive());
    expect(stops.length).toBeGreaterThan(0);
    expect(Math.max(...stops)).toBeLessThan(STOPPED_MS);

    await declare(['shop']);
    await gone(hive(), 'rolls');
  });
}

async function begin({ deploy, docker, folder, hivekeep }: Installation): Promise<void> {
  if (!long) return void (await docker(1, 'service', 'update', '--detach', '--force', 'hivekeep_reconciler'));
  expect(await hivekeep('deploy', 'init', folder, '--image', NEXT_IMAGE)).toMatchObject({ code: 0 });
  await deploy();
}

/** When the last update of each service began, and how it stands. */
async function updates({ docker }: Installation): Promise<string[]> {
  const format = '{{.Spec.Name}} {{with .UpdateStatus}}{{.StartedAt}} {{.State}}{{end}}';
  return (await docker(1, 'service', 'inspect', '--format', format, ...replaced.map((name) => `hivekeep_${name}`))).trim().split('\n');
}

/** With which codes the replaced tasks ended: all by themselves, none by the engine. */
async function exitCodes({ lab }: Installation): Promise<Set<number | undefined>> {
  const filters = { service: replaced.map((name) => `hivekeep_${name}`), 'desired-state': ['shutdown'] };
  const tasks: { Status: { ContainerStatus?: { ExitCode?: number } } }[] = await lab.node(1).docker.listTasks({ filters });
  return new Set(tasks.map(({ Status }) => Status.ContainerStatus?.ExitCode));
}

/** From the word `stopping` of each replaced container to its end, in milliseconds. */
async function stopTimes({ lab }: Installation): Promise<number[]> {
  const times: number[] = [];
  for (const node of lab.nodes)
    for (const service of replaced)
      for (const id of await containersOf(node, service, { all: true })) {
        const container = node.docker.getContainer(id);
        const { State: state } = await container.inspect();
        const words = (await container.logs({ stdout: true, stderr: true })).toString();
        const [, began] = /"time":"([^"]+)"[^\n]*"message":"stopping"/.exec(words) ?? [];
        if (!state.Running && began) times.push(Date.parse(state.FinishedAt) - Date.parse(began));
      }
  return times;
}
