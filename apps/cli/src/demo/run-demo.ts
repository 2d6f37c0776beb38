import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HivekeepError } from '@hivekeep/contracts';
import { dockerEndpoint } from '@hivekeep/swarm';
import { awaitState } from './await-state.ts';
import { awaitAllWell, type Demo } from './demo.ts';
import type { DemoOptions } from './demo-command.ts';
import { startController } from './demo-controller.ts';
import { demoFiles } from './demo-files.ts';
import { buildDemoImage, loadImage } from './demo-image.ts';
import { DemoRepository } from './demo-repository.ts';
import { type DemoSwarm, demoSwarm } from './demo-swarm.ts';
import { DemoTable } from './demo-table.ts';
import { Engines } from './engines.ts';
import { thingsToTry } from './things-to-try.ts';
import { tryChart, tryCommit, tryRemoval, tryScale } from './try-changes.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const GONE_MS = 60_000;

/** Runs the demo to its end and gives the exit code: 0, 1 when something was not as it should be, 130 after Ctrl-C. */
export async function run(options: DemoOptions): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) return;
    say('\nstopping');
    stop.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    await withCleanup(options, stop.signal);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return options.once ? 130 : 0;
    process.stderr.write(`hivekeep demo: FAILED: ${HivekeepError.from(error).message}\n`);
    return 1;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

type Keep = (cleanup: () => Promise<unknown>) => void;

/** Whatever was begun is taken away again, the last first, whatever goes wrong. The controller is stopped with `--keep`, too. */
async function withCleanup(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  const cleanups: (() => Promise<unknown>)[] = [];
  const ends: typeof cleanups = [];
  try {
    const demo = await startDemo(
      options,
      signal,
      (cleanup) => cleanups.push(cleanup),
      (end) => ends.push(end),
    );
    await awaitAllWell(demo);
    say(`all synced and healthy after ${seconds(began)}`);
    if (options.once) await tryEverything(demo);
    else await showUntilStopped(demo);
  } finally {
    if (options.keep) say('left as it is (--keep); ./hivekeep lab down --name NAME takes a lab away');
    await runAll([...ends, ...(options.keep ? [] : cleanups.reverse())]);
  }
  say(`done after ${seconds(began)}`);
}

/** One after the other, all of them; what the first that failed failed with is thrown then. */
async function runAll(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const task of tasks) await task().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function startDemo(options: DemoOptions, signal: AbortSignal, keep: Keep, end: Keep): Promise<Demo> {
  const swarm = await demoSwarm(options);
  keep(() => swarm.remove());
  signal.throwIfAborted();
  say(swarm.kind === 'lab' ? `a lab of ${swarm.nodes.length} nodes is up` : "using this machine's engine");
  const folder = await mkdtemp(join(tmpdir(), 'hivekeep-demo-'));
  keep(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const engines = new Engines(swarm.nodes);
  keep(async () => engines[Symbol.dispose]());
  if (swarm.kind === 'local') {
    await removeDeployed(engines);
    keep(() => removeDeployed(engines));
  }
  await loadDemoImage(swarm, folder);
  const path = join(folder, 'repository');
  const repository = await DemoRepository.create(path, demoFiles({ repository: path, onlyNode: swarm.onlyNode }));
  say(`a Git repository with an app set, three applications of compose files and one of a chart is in ${path}`);
  signal.throwIfAborted();
  const controllerId = `demo-${randomBytes(3).toString('hex')}`;
  const controller = await startController({ folder, repository: path, nodes: swarm.nodes, controllerId });
  end(() => controller.stop());
  return { swarm, engines, repository, controller, table: new DemoTable(process.stdout), signal, say };
}

async function loadDemoImage(swarm: DemoSwarm, folder: string): Promise<void> {
  const image = await buildDemoImage(folder);
  await Promise.all(swarm.nodes.map(({ dockerHost }) => loadImage(dockerEndpoint(dockerHost), image)));
}

/** Records last: by them the next demo knows that a stack's volumes are its own, wherever this one was interrupted. */
async function removeDeployed(engines: Engines): Promise<void> {
  const owned = await engines.owned();
  await engines.removeServices();
  const missing = async () => ((await engines.removeNetworksAndVolumes(owned)) ? undefined : 'something is still in use');
  await awaitState(missing, { what: "the demo's objects are gone", timeoutMs: GONE_MS, signal: new AbortController().signal });
  await engines.removeContents();
}

async function tryEverything(demo: Demo): Promise<void> {
  await tryCommit(demo);
  await tryChart(demo);
  await tryScale(demo);
  await tryRemoval(demo);
}

async function showUntilStopped(demo: Demo): Promise<void> {
  say(thingsToTry(demo));
  while (!demo.signal.aborted) {
    demo.table.show(await demo.controller.applications());
    await sleep(1_000, undefined, { signal: demo.signal }).catch(() => undefined);
  }
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
