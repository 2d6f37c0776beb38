import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@hivekeep/testkit';
import type { Installation } from './installation.ts';
import { replicated } from './stacks.ts';

const APPLICATIONS = 20;
const EVERY_MS = 1_000;

/** Twenty applications without tasks. */
export const loadNames: readonly string[] = Array.from({ length: APPLICATIONS }, (_, index) => `load${String(index + 1).padStart(2, '0')}`);

const filesOf = (turn: number) => Object.fromEntries(loadNames.map((name) => [`${name}.yaml`, replicated(0, `turn ${turn}`)]));

/** Commits that change all of them, once a second, until it is stopped. */
export class Load {
  readonly #hive: Installation;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #turn = 0;
  #commit = '';

  private constructor(hive: Installation) {
    this.#hive = hive;
    this.#running = this.#run();
  }

  /** Declares the applications and begins once all are deployed. */
  static async start(hive: Installation): Promise<Load> {
    const commit = await hive.declare(['shop', ...loadNames], { ...filesOf(0), 'shop.yaml': replicated(1) });
    await eventually(() => allAt(hive, commit), { timeoutMs: 120_000, intervalMs: 1_000 });
    return new Load(hive);
  }

  /** Ends the commits and gives the last one. */
  async stop(): Promise<string> {
    this.#stop.abort();
    await this.#running;
    return this.#commit;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#turn += 1;
      this.#commit = await this.#hive.declare(['shop', ...loadNames], filesOf(this.#turn));
      await sleep(EVERY_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }
}

/** Throws unless every application of the load is deployed at this commit. */
export async function allAt(hive: Installation, commit: string): Promise<void> {
  const { applications } = await hive.get<{ applications: Awaited<ReturnType<Installation['application']>>[] }>('/applications');
  const late = applications.filter(
    ({ spec, status }) => loadNames.includes(spec.name) && (status.sync.revision !== commit || status.sync.state !== 'synced'),
  );
  const missing = loadNames.length - applications.filter(({ spec }) => loadNames.includes(spec.name)).length;
  if (late.length + missing > 0)
    throw new Error(
      `${missing} are not known, not at ${commit}: ${late.map(({ spec, status }) => `${spec.name} ${status.sync.state} ${status.sync.revision} ${status.error ?? ''}`).join('; ')}`,
    );
}

/** What the swarm has of the load: the text each service was given, and its version index, which every write moves. */
export async function deployed(hive: Installation): Promise<Record<string, { text: string; index: number }>> {
  const services = await hive.lab.node(1).docker.listServices();
  const ours = services.flatMap(({ Spec: spec, Version: version }) => {
    const application = (spec?.Name ?? '').replace(/_web$/, '');
    if (!loadNames.includes(application)) return [];
    const { ContainerSpec: container } = (spec?.TaskTemplate ?? {}) as { ContainerSpec?: { Env?: string[] } };
    return [[application, { text: container?.Env?.join() ?? '', index: version?.Index ?? 0 }] as const];
  });
  return Object.fromEntries(ours.sort(([a], [b]) => a.localeCompare(b)));
}
