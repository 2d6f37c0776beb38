import { HivekeepError } from '@hivekeep/contracts';
import { awaitState } from './await-state.ts';
import { type Demo, isWell } from './demo.ts';
import { stackOf } from './demo-files.ts';

const CHANGE_MS = 60_000;
const PAGE = `${stackOf('web')}_page`;
const GREETER = `${stackOf('greeter')}_greeter`;

/** A commit rolls out: the config comes under a new name, every task that mounts it is replaced, and the status names the commit. */
export async function tryCommit({ repository, controller, engines, signal, say }: Demo): Promise<void> {
  const tasks = await engines.runningTasks(PAGE);
  const config = await mountedConfig(engines);
  const commit = await repository.commit('Say it in another way', { 'web/index.html': '<h1>Hello again from Git</h1>\n' });
  say(`committed ${commit.slice(0, 10)}: another page for web`);
  const missing = async () => {
    const view = await controller.application('web');
    if (view.status.sync.revision !== commit || !isWell(view))
      return `web is at ${view.status.sync.revision.slice(0, 10)}, ${view.status.sync.state}, ${view.status.health.state}`;
    if ((await mountedConfig(engines)) === config) return `${PAGE} still mounts ${config}`;
    const running = await engines.runningTasks(PAGE);
    if (running.length !== tasks.length || running.some((task) => tasks.includes(task))) return `not every task of ${PAGE} was replaced`;
    return undefined;
  };
  await awaitState(missing, { what: 'the commit is rolled out', timeoutMs: CHANGE_MS, signal });
  say(`rolled out: ${PAGE} mounts ${await mountedConfig(engines)} now, all ${tasks.length} tasks were replaced`);
}

/** Other values of a chart roll out: one the schema refuses costs nothing but a message, a good one changes what runs. */
export async function tryChart({ repository, controller, engines, signal, say }: Demo): Promise<void> {
  const values = await repository.read('greeter/values.yaml');
  const give = (replicas: number) =>
    repository.commit(`Greet ${replicas} times`, { 'greeter/values.yaml': values.replace('replicas: 1', `replicas: ${replicas}`) });
  await give(99);
  let refusal = '';
  const accepted = async () => {
    const { error = '' } = (await controller.application('greeter')).status;
    refusal = error;
    return error.includes('values.replicas') ? undefined : `the error of greeter is '${error}'`;
  };
  await awaitState(accepted, { what: "values that the chart's schema refuses are reported", timeoutMs: CHANGE_MS, signal });
  say(`committed 99 replicas, refused: ${refusal.split(':\n')[0]}`);
  const commit = await give(2);
  const missing = async () => {
    const view = await controller.application('greeter');
    if (view.status.sync.revision !== commit || !isWell(view)) return `greeter is ${view.status.sync.state}, ${view.status.health.state}`;
    const running = await engines.runningTasks(GREETER);
    return running.length === 2 ? undefined : `${running.length} tasks of ${GREETER} run`;
  };
  await awaitState(missing, { what: 'the values are rolled out', timeoutMs: CHANGE_MS, signal });
  const records = (await engines.records('greeter')).map(({ name }) => name);
  if (records.length !== 2) throw new HivekeepError('internal', `expected two records of greeter, found ${records.join(', ') || 'none'}`);
  say(`rolled out: ${GREETER} runs twice, recorded as ${records.toSorted().at(-1)}`);
}

/** A service scaled by hand is reported, field and values, and left alone. */
export async function tryScale({ controller, engines, signal, say }: Demo): Promise<void> {
  const service = await page(engines);
  const { Mode } = service.spec;
  const before = Mode?.Replicated?.Replicas;
  await engines.manager.updateService(service.id, service.version, { ...service.spec, Mode: { Replicated: { Replicas: 4 } } });
  say(`scaled ${PAGE} from ${before} to 4 by hand`);
  let found = '';
  const missing = async () => {
    const { status } = await controller.application('web');
    const drifts = (status.releases ?? []).flatMap((release) => release.drift?.services ?? []);
    const field = drifts.find((drift) => drift.name === PAGE)?.fields[0];
    if (status.drift?.state !== 'detected' || !field) return `web's drift is ${status.drift?.state ?? 'not known'}`;
    found = `${PAGE} ${field.field}: desired ${field.desired}, live ${field.live}`;
    return undefined;
  };
  await awaitState(missing, { what: 'the change by hand is reported', timeoutMs: CHANGE_MS, signal });
  const left = (await page(engines)).spec.Mode?.Replicated?.Replicas;
  if (left !== 4) throw new HivekeepError('internal', `expected the service left at 4 replicas, found ${left}`);
  say(`reported: ${found}`);
}

/** An application that left the app set goes: its stack, its volumes on every node, its records. */
export async function tryRemoval({ repository, controller, engines, swarm, signal, say }: Demo): Promise<void> {
  const volumes = await engines.volumes('notes');
  if (volumes.length < swarm.nodes.length)
    throw new HivekeepError(
      'internal',
      `expected a volume of notes on each of ${swarm.nodes.length} nodes, found ${volumes.join(', ') || 'none'}`,
    );
  const appSet = await repository.read('applications.yaml');
  await repository.commit('Remove notes', { 'applications.yaml': appSet.slice(0, appSet.indexOf('  - name: notes')) });
  say(`removed notes from the app set; it has ${volumes.join(', ')}`);
  const missing = async () => {
    const known = (await controller.applications()).some((view) => view.spec.name === 'notes');
    if (known) return 'notes is still listed';
    const services = await engines.services('notes');
    if (services.length > 0) return `${services.length} service of notes is still there`;
    const left = await engines.volumes('notes');
    if (left.length > 0) return `still there: ${left.join(', ')}`;
    // where a node is out of reach, its volumes are owed and the records stay to say so
    const records = swarm.onlyNode === undefined ? await engines.records('notes') : [];
    return records.length > 0 ? `${records.length} record of notes is still there` : undefined;
  };
  await awaitState(missing, { what: 'notes is gone with its volumes on every node', timeoutMs: 2 * CHANGE_MS, signal });
  say(`gone: its service, its volumes on ${swarm.nodes.length} nodes${swarm.onlyNode === undefined ? ' and its records' : ''}`);
}

async function page(engines: Demo['engines']) {
  const service = (await engines.services('web')).find(({ spec }) => spec.Name === PAGE);
  if (!service) throw new HivekeepError('internal', `expected the service ${PAGE}, found none`);
  return service;
}

async function mountedConfig(engines: Demo['engines']): Promise<string> {
  const [config] = (await page(engines)).spec.TaskTemplate.ContainerSpec?.Configs ?? [];
  return config?.ConfigName ?? 'no config';
}
