import { labels } from '@hivekeep/application';
import type { PruneList, SwarmEntry, SweepItem } from '@hivekeep/contracts';
import { type DaemonCall, eventually, type LabCorner, testImage } from '@hivekeep/testkit';
import type { AppDeclaration } from './app-repository.ts';
import type { Controller } from './controller.ts';

/** Flags of a controller that removes what left, volumes at once. */
export const SWEEPING = ['--prune', '--prune-volumes', '--prune-volumes-after', '0s'];

/** A compose file of one small service on every node, with a config and a volume there. A task that an engine fails to start is no end. */
export function everywhere(text = 'one'): string {
  return JSON.stringify({
    services: {
      web: {
        image: testImage,
        command: ['sleep', '1000'],
        init: true,
        stop_grace_period: '1s',
        environment: { TEXT: text },
        configs: [{ source: 'page', target: '/page' }],
        volumes: ['data:/data'],
        deploy: { mode: 'global', update_config: { parallelism: 0, monitor: '500ms', failure_action: 'continue' } },
      },
    },
    configs: { page: { file: './page.txt' } },
    volumes: { data: {} },
  });
}

/** A compose file of one service without tasks. */
export function idle(): string {
  return JSON.stringify({ services: { web: { image: testImage, command: ['sleep', '1000'], deploy: { replicas: 0 } } } });
}

/** An application that is kept as Git says. */
export function automated(name: string, more: Partial<AppDeclaration> = {}): AppDeclaration {
  return { name, syncPolicy: { automated: true }, ...more };
}

/** What stands of a release: names of objects, records among them, and volumes as `node/name`. */
export interface Standing {
  readonly services: string[];
  readonly configs: string[];
  readonly records: string[];
  readonly intents: string[];
  readonly volumes: string[];
}

export const NOTHING: Standing = { services: [], configs: [], records: [], intents: [], volumes: [] };

/** Reads what stands of a release, whose name is unique in the lab. */
export async function standing(corner: LabCorner, release: string): Promise<Standing> {
  const named = [`${release}_`, `swarmcli.release.${release}.`, `hivekeep.intent.${release}.`]; // prefixes, for a daemon
  const [services, configs, volumes] = await Promise.all([
    corner.docker.listServices({ filters: { name: named } }),
    corner.docker.listConfigs({ filters: { name: named } }),
    corner.volumes(),
  ]);
  const ofRelease = (found: Readonly<Record<string, string>> = {}): boolean => Object.values(found).includes(release);
  const kept = configs.flatMap(({ Spec: spec }) =>
    ofRelease(spec?.Labels) ? [{ name: spec?.Name ?? '', labels: spec?.Labels ?? {} }] : [],
  );
  const names = (is: (found: Readonly<Record<string, string>>) => boolean): string[] =>
    kept
      .filter((config) => is(config.labels))
      .map((config) => config.name)
      .sort();
  const isRecord = (found: Readonly<Record<string, string>>): boolean => found[labels.record.type] !== undefined;
  return {
    services: services.flatMap(({ Spec: spec }) => (ofRelease(spec?.Labels) ? [spec?.Name ?? ''] : [])).sort(),
    configs: names((found) => !isRecord(found) && found[labels.type] === undefined),
    records: names(isRecord),
    intents: names((found) => found[labels.type] === 'intent'),
    volumes: Object.entries(volumes).flatMap(([node, all]) =>
      all.filter((volume) => volume.startsWith(`${release}_`)).map((volume) => `${node}/${volume}`),
    ),
  };
}

/** Waits until nothing of a release stands, nor a mark of its sweep. */
export async function swept(corner: LabCorner, controller: Controller, application: string, timeoutMs = 90_000): Promise<void> {
  const look = async () => {
    const left = [await standing(corner, application), await controller.keptState(application)];
    if (JSON.stringify(left) !== JSON.stringify([NOTHING, {}])) throw new Error(`${JSON.stringify(left)} still stands`);
  };
  try {
    await eventually(look, { timeoutMs, intervalMs: 250 });
  } catch (cause) {
    const item = (await prune(controller)).items.find(({ release }) => release === application);
    throw new Error(`${(cause as Error).message}; prune says ${JSON.stringify(item)}`, { cause });
  }
}

export async function prune(controller: Controller): Promise<PruneList> {
  return (await controller.get(`/prune?swarm=${controller.swarm}`)) as PruneList;
}

/** Waits for the request for an approval that says why, and gives it. */
export async function held(controller: Controller, reason: string): Promise<{ id: string; releases: string[] }> {
  return eventually(
    async () => {
      const { approvals } = await prune(controller);
      const found = approvals.find((approval) => approval.reason.includes(reason));
      if (!found) throw new Error(`nothing is held because '${reason}': ${JSON.stringify(await prune(controller))}`);
      return { id: found.id, releases: found.items.map(({ release }) => release).sort() };
    },
    { timeoutMs: 90_000 },
  );
}

/** Waits until the sweep says of a release what `is` asks for. */
export async function sweepItem(
  controller: Controller,
  release: string,
  is: (item: SweepItem) => boolean,
  timeoutMs = 90_000,
): Promise<SweepItem> {
  return eventually(
    async () => {
      const { items } = await prune(controller);
      const item = items.find((one) => one.release === release);
      if (item && is(item)) return item;
      throw new Error(`prune says ${JSON.stringify(items)}`);
    },
    { timeoutMs },
  );
}

/** Waits until an application is as Git says and runs. */
export function settled(
  controller: Pick<Controller, 'waitFor'>,
  application: string,
  timeoutMs = 90_000,
): ReturnType<Controller['waitFor']> {
  return controller.waitFor(application, ({ sync, health }) => sync.state === 'synced' && health.state === 'healthy', { timeoutMs });
}

/** Whether a call writes or clears the mark of a sweep. */
export function marks({ write, body }: DaemonCall): boolean {
  const { Labels: found = {} } = (body ?? {}) as { Labels?: Record<string, string> };
  return write && found[labels.type] === 'app' && found['com.hivekeep.state.sweep'] !== undefined;
}

/** Deletions that a controller asked the daemon for. */
export function deletions(controller: Controller): DaemonCall[] {
  return controller.objectWrites().filter(({ method }) => method === 'DELETE');
}

/** The swarm as the gateway of a controller shows it. */
export async function swarmEntry(controller: Controller): Promise<SwarmEntry> {
  const { swarms } = (await controller.get('/swarms')) as { swarms: SwarmEntry[] };
  const entry = swarms.find(({ name }) => name === controller.swarm);
  if (!entry) throw new Error(`the gateway shows no swarm ${controller.swarm}: ${JSON.stringify(swarms)}`);
  return entry;
}
