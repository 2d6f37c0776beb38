import { labels } from '@hivekeep/application';
import { type DaemonCall, eventually, type LabCorner, labCorner, useLab, type Verdict } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import type { AppDeclaration } from './support/app-repository.ts';
import { type Controller, startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

const steps = ['intent', 'network', 'secret', 'config', 'service a', 'service b', 'record', 'removal of the intent'] as const;
type Step = (typeof steps)[number];
type Phase = 'before' | 'after';

/** One application that is caught at one step of its apply. */
interface Caught {
  readonly app: string;
  readonly step: Step;
  readonly phase: Phase;
  readonly upgrade: boolean;
}

/** Which step of which application a call is; the removal of an intent names it by id only. */
async function stepOf(call: DaemonCall, corner: LabCorner): Promise<{ app: string; step: Step } | undefined> {
  const name = (call.body as { Name?: string } | undefined)?.Name ?? (await configName(call, corner)) ?? '';
  const found = (pattern: RegExp, step: Step) => {
    const app = pattern.exec(name)?.[1];
    return app === undefined ? undefined : { app, step };
  };
  if (call.method === 'DELETE') return found(/^hivekeep\.intent\.(.+)\.v\d+$/, 'removal of the intent');
  if (call.path === '/configs/create')
    return (
      found(/^hivekeep\.intent\.(.+)\.v\d+$/, 'intent') ??
      found(/^swarmcli\.release\.(.+)\.v\d+$/, 'record') ??
      found(/^(.+)_conf-[0-9a-f]{12}$/, 'config')
    );
  return (
    found(/^(.+)_net$/, 'network') ??
    found(/^(.+)_key-[0-9a-f]{12}$/, 'secret') ??
    found(/^(.+)_a$/, 'service a') ??
    found(/^(.+)_b$/, 'service b')
  );
}

/** Names of the configs whose removal was seen: after it nobody can be asked. */
const removed = new Map<string, string>();

async function configName({ method, path }: DaemonCall, corner: LabCorner): Promise<string | undefined> {
  const [, kind, id = ''] = path.split('/');
  if (method !== 'DELETE' || kind !== 'configs') return undefined;
  if (!removed.has(id)) removed.set(id, (await corner.docker.getConfig(id).inspect()).Spec?.Name ?? '');
  return removed.get(id);
}

/** Only what is under way may restart, so only applications caught later than that need running tasks. */
function file(text: string, replicas: number): string {
  const service = {
    ...sleeper,
    environment: { TEXT: text },
    networks: ['net'],
    configs: ['conf'],
    secrets: ['key'],
    deploy: { replicas },
  };
  const named = (key: string) => ({ [key]: { file: `./${key}-${text}` } });
  return stackFile(
    { a: service, b: { ...service, deploy: { replicas: 0 } } },
    { networks: { net: {} }, configs: named('conf'), secrets: named('key') },
  );
}

const contents = { 'conf-1': 'c1', 'key-1': 'k1', 'conf-2': 'c2', 'key-2': 'k2' };

/** Ids of the running tasks of each service of these applications that has what its newest spec asks for. */
async function finishedServices(corner: LabCorner, apps: readonly Caught[]): Promise<Map<string, string[]>> {
  const finished = new Map<string, string[]>();
  for (const { app } of apps) {
    const services = await corner.docker.listServices({ filters: { label: [`${labels.stack}=${app}`] } });
    for (const { Spec: spec } of services) {
      const name = spec?.Name ?? '';
      finished.set(name, await eventually(async () => settledTasks(corner, name), { timeoutMs: 120_000 }));
    }
  }
  return finished;
}

async function settledTasks(corner: LabCorner, service: string): Promise<string[] | false> {
  const { Spec: spec, UpdateStatus: update } = await corner.docker.getService(service).inspect();
  const ids = await corner.runningTasks(service);
  return (update === undefined || update.State === 'completed') && ids.length === spec.Mode.Replicated.Replicas ? ids : false;
}

/** Lets every application go on until its step, where the verdict awaits it. Resolves when all are caught. */
function catchAll(controller: Controller, corner: LabCorner, caught: readonly Caught[], verdict: (phase: Phase) => Verdict): Promise<void> {
  const awaited = new Map(caught.map((one) => [`${one.app} ${one.phase} ${one.step}`, one]));
  const { promise: all, resolve } = Promise.withResolvers<void>();
  controller.proxy.intercept(async (call, phase) => {
    const at = call.write ? await stepOf(call, corner) : undefined;
    if (!at || !awaited.delete(`${at.app} ${phase} ${at.step}`)) return 'pass';
    if (awaited.size === 0) resolve();
    return verdict(phase);
  });
  return all;
}

/** Everything declared is there in its newest form, recorded, and nothing of a write under way is left. */
async function expectConverged(controller: Controller, corner: LabCorner, { app, upgrade, step, phase }: Caught): Promise<void> {
  const what = `${upgrade ? 'upgrade' : 'install'}, ${phase} ${step}`;
  const status = await controller.waitFor(
    app,
    ({ sync, health, error }) => sync.state === 'synced' && health.state === 'healthy' && !error,
    { timeoutMs: 120_000 },
  );
  expect(status.error, what).toBeUndefined();
  const intents = await corner.docker.listConfigs({ filters: { label: [`${labels.type}=intent`] } });
  expect(
    intents.filter(({ Spec: spec }) => spec?.Name?.includes(`.${app}.`)),
    what,
  ).toEqual([]);
  const revisions = (await controller.history(app)).releases[0]?.revisions ?? [];
  expect(revisions.length, what).toBe(upgrade ? 2 : 1);
  for (const service of ['a', 'b']) {
    const { Spec: spec } = await corner.docker.getService(`${app}_${service}`).inspect();
    expect(spec.TaskTemplate.ContainerSpec.Env, what).toEqual([`TEXT=${upgrade ? 2 : 1}`]);
  }
}

function laterThanObjects({ step, upgrade }: Caught): boolean {
  return upgrade || steps.indexOf(step) >= steps.indexOf('service a');
}

function declarations(caught: readonly Caught[]): AppDeclaration[] {
  return caught.map(({ app }) => ({ name: app }));
}

function files(caught: readonly Caught[], text: (one: Caught) => string): Record<string, string> {
  return { ...contents, ...Object.fromEntries(caught.map((one) => [`${one.app}.yaml`, file(text(one), laterThanObjects(one) ? 1 : 0)])) };
}

/** An application for each step, before and after the daemon's answer, at an install and at an upgrade. */
function everyStep(corner: LabCorner): Caught[] {
  const upgrades: Step[] = ['config', 'service a', 'service b', 'record', 'removal of the intent'];
  const installs = steps.flatMap((step) => [
    { step, phase: 'before' as const, upgrade: false },
    { step, phase: 'after' as const, upgrade: false },
  ]);
  const all = [...installs, ...upgrades.map((step) => ({ step, phase: 'after' as const, upgrade: true }))];
  return all.map((one, index) => ({ app: corner.name(`a${index}`), ...one }));
}

/** Declares all, and brings those that are to be upgraded to their first revision. */
async function prepare(controller: Controller, caught: readonly Caught[]): Promise<void> {
  await controller.declare(
    declarations(caught),
    files(caught, () => '1'),
  );
  const upgraded = caught.filter(({ upgrade }) => upgrade);
  await Promise.all(upgraded.map(({ app }) => controller.sync(app)));
  for (const { app } of upgraded) await controller.waitFor(app, ({ health }) => health.state === 'healthy');
  await controller.apps.commit(files(upgraded, () => '2'));
}

const request = (controller: Controller, caught: readonly Caught[]) =>
  Promise.all(caught.map(({ app }) => controller.post(`/applications/${app}/sync`)));

test('killed at any step of an apply, it goes on after a restart and restarts nothing that was finished', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const caught = everyStep(corner);
  await prepare(controller, caught);
  const all = catchAll(controller, corner, caught, () => 'hang');
  await request(controller, caught);
  await all;
  await controller.process.kill();
  controller.proxy.intercept(undefined);
  const finished = await finishedServices(corner, caught);
  expect([...finished.values()].flat().length).toBeGreaterThan(8);

  await controller.apps.declare(declarations(caught).map((application) => ({ ...application, syncPolicy: { automated: true } })));
  await controller.start();
  for (const one of caught) await expectConverged(controller, corner, one);
  for (const [service, ids] of finished) {
    const { app, step, upgrade } = caught.find((one) => service.startsWith(`${one.app}_`)) as Caught;
    const wasFinished = !upgrade || !['config', 'service b'].includes(step);
    if (wasFinished) expect(await corner.runningTasks(service), `${app} at ${step}`).toEqual(ids);
  }
});

test('a write that the daemon never takes is tried again, and one whose answer is lost is found to have landed', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const caught = everyStep(corner).filter(({ phase, step }) => phase === 'after' || step === 'service a');
  await prepare(controller, caught);
  const all = catchAll(controller, corner, caught, (phase) => (phase === 'before' ? 'hang' : 'drop'));
  await request(controller, caught);
  await all;
  for (const { app } of caught) await controller.synced(app);
  const finished = await finishedServices(
    corner,
    caught.filter(({ upgrade }) => !upgrade),
  );
  await request(controller, caught);
  for (const { app } of caught) await controller.synced(app);
  for (const one of caught) await expectConverged(controller, corner, one);
  for (const [service, ids] of finished) expect(await corner.runningTasks(service), service).toEqual(ids);
});
