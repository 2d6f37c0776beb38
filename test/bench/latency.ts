import { setTimeout as sleep } from 'node:timers/promises';
import type { View } from '@hivekeep/contracts';
import { type DaemonCall, eventually, type Lab, testImage } from '@hivekeep/testkit';
import { emptied } from './bench-swarm.ts';
import { type BenchController, isLeaseCall, leaseIdOf, startController } from './controller.ts';
import { atMost, type Figure, forTheRecord, median, percentile } from './figure.ts';

const ROUNDS = 20;
const NAME = 'bench';
const SERVICE = `${NAME}_main`;
/** How long after a sync nothing but the lease may be heard. */
const QUIET_MS = 1_500;
const GOAL_MS = 1_000;
/** The longest that a quiet swarm goes without a look. */
const QUIET_LOOK_MS = 30_000;

/** (d): a commit by a manual sync until the service's spec is written; a change by hand until the API's stream tells it. */
export async function latency(lab: Lab): Promise<Figure[]> {
  await emptied(lab);
  await using controller = await startController({
    lab,
    files: { 'compose.yaml': composeFile(0) },
    applications: [
      `  - {name: ${NAME}, driftDetection: live, allow: {networks: [host]}, source: {repoURL: REPO, revision: main, compose: {files: [compose.yaml]}}}\n`,
    ],
    flags: ['--reconcile-interval', '1h', '--appset-interval', '1h'],
  });
  await sync(controller);
  const commits: number[] = [];
  const reactions: DaemonCall[][] = [];
  const began = performance.now();
  for (let round = 1; round <= ROUNDS; round += 1) {
    commits.push(await commitToSpec(controller, round));
    const calls = await callsAfterSync(lab, controller);
    if (calls.length > 0) reactions.push(calls);
  }
  const looksAnyway = Math.ceil((performance.now() - began) / QUIET_LOOK_MS);
  const changes: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) changes.push(await changeToReport(lab, controller));
  return [
    atMost('d.commit-to-spec.p95', percentile(commits, 0.95), GOAL_MS, { unit: 'ms' }),
    forTheRecord('d.commit-to-spec.p50', median(commits), { unit: 'ms' }),
    atMost('d.change-to-reported.p95', percentile(changes, 0.95), GOAL_MS, { unit: 'ms' }),
    forTheRecord('d.change-to-reported.p50', median(changes), { unit: 'ms' }),
    atMost('d.own-write-reactions', Math.max(0, reactions.length - looksAnyway), 0, {
      unit: 'looks',
      note: `of ${reactions.length} within ${QUIET_MS} ms after each of ${ROUNDS} syncs (${summary(reactions.flat())}), ${looksAnyway} were due anyway`,
    }),
  ];
}

async function sync(controller: BenchController): Promise<void> {
  const last = async () => (await controller.get<View>(`/api/v1/applications/${NAME}`)).status;
  const before = (await last()).sync.lastSync?.finishedAt;
  await controller.post(`/api/v1/applications/${NAME}/sync`);
  await eventually(
    async () => {
      const { sync: now, working, error } = await last();
      if (error !== undefined) throw new Error(error);
      return now.lastSync !== undefined && now.lastSync.finishedAt !== before && !working;
    },
    { timeoutMs: 30_000, intervalMs: 20 },
  );
}

/** From before the commit to the answer of the service's update. */
async function commitToSpec(controller: BenchController, round: number): Promise<number> {
  const { promise: written, resolve } = Promise.withResolvers<number>();
  controller.proxy.intercept((call, phase) => {
    if (phase === 'after' && /^\/services\/[^/]+\/update$/.test(call.path) && call.status === 200) resolve(performance.now());
    return 'pass';
  });
  const began = performance.now();
  // the clock of a commit has seconds only; another author date makes each one new anyway
  await controller.repository.commit({ 'compose.yaml': composeFile(round) });
  await sync(controller);
  const took = (await written) - began;
  controller.proxy.intercept(undefined);
  return took;
}

/** What is asked of the daemon once a sync has ended: nothing, when its echoes in the events wake nobody; the lease apart. */
async function callsAfterSync(lab: Lab, { proxy }: BenchController): Promise<DaemonCall[]> {
  const lease = await leaseIdOf(lab);
  await sleep(200); // what the sync itself has begun may end
  proxy.forget();
  await sleep(QUIET_MS);
  return proxy.calls.filter((call) => !isLeaseCall(call, lease));
}

/** From before the update by hand to the event; puts the service back and waits until that is told as well. */
async function changeToReport(lab: Lab, controller: BenchController): Promise<number> {
  const stop = new AbortController();
  const stream = (await controller.events(stop.signal))[Symbol.asyncIterator]();
  try {
    const began = performance.now();
    await scale(lab, 1);
    await eventOf(stream, 'live-drift-detected');
    const took = performance.now() - began;
    await scale(lab, 0);
    await eventually(async () => (await controller.get<View>(`/api/v1/applications/${NAME}`)).status.drift?.state === 'none', {
      timeoutMs: 60_000,
    });
    return took;
  } finally {
    stop.abort();
  }
}

async function scale(lab: Lab, replicas: number): Promise<void> {
  const { docker } = lab.node(1);
  const service = docker.getService(SERVICE);
  const { Version, Spec } = await service.inspect();
  await service.update({ version: Version.Index, ...Spec, Mode: { Replicated: { Replicas: replicas } } });
}

async function eventOf(stream: AsyncIterator<Uint8Array>, type: string): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  while (!text.includes(type)) {
    const { value, done } = await stream.next();
    if (done) throw new Error(`the event stream ended before ${type}`);
    text += decoder.decode(value, { stream: true });
  }
}

function summary(calls: readonly DaemonCall[]): string {
  const groups = Map.groupBy(calls, ({ method, path }) => `${method} /${path.split('/')[1]}`);
  return [...groups].map(([what, { length }]) => `${length} ${what}`).join(', ') || 'no call';
}

function composeFile(value: number): string {
  return `services:
  main:
    image: ${testImage}
    command: [sleep, '3600']
    environment: {VALUE: '${value}'}
    networks: [hostnet]
    deploy: {replicas: 0}
networks: {hostnet: {external: true, name: host}}
`;
}
