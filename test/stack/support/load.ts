import type { View } from '@hivekeep/contracts';
import { eventually } from '@hivekeep/testkit';
import { again, type Repeated } from './again.ts';
import type { Installation } from './installation.ts';
import { settled } from './observe.ts';
import { replicated } from './stacks.ts';

const APPLICATIONS = 20;
const EVERY_MS = 1_000;
const DEPLOYED_MS = 120_000;

/** Twenty applications without tasks. */
export const loadNames: readonly string[] = Array.from({ length: APPLICATIONS }, (_, index) => `load${String(index + 1).padStart(2, '0')}`);

const WEB = '_web';
const turnText = (turn: number) => `turn ${turn}`;

/** A state of the load: its number, and the commit that declares it. */
export interface Turn {
  readonly turn: number;
  readonly commit: string;
}

/** Commits that change all of them, once a second, while it runs. Turns are counted from its start, and never twice. */
export class Load {
  readonly #hive: Installation;
  /** Declared beside the load, and changed with it. */
  #others: readonly string[] = [];
  #running: Repeated | undefined;
  #last: Turn = { turn: 0, commit: '' };

  private constructor(hive: Installation) {
    this.#hive = hive;
  }

  /** Declares the applications and waits until all are deployed. */
  static async start(hive: Installation): Promise<Load> {
    const load = new Load(hive);
    await load.#declare({ 'shop.yaml': replicated(1) });
    await eventually(() => allAt(hive, load.last), { timeoutMs: DEPLOYED_MS, intervalMs: 1_000 });
    await settled(hive, 'shop', load.last.commit); // written late, it would be taken for a write without a change
    return load;
  }

  get last(): Turn {
    return this.#last;
  }

  /** Begins to commit. */
  run(): void {
    this.#running = again(EVERY_MS, () => this.#declare());
  }

  /** Ends the commits and gives the last turn. */
  async stop(): Promise<Turn> {
    await this.#running?.stop();
    return this.#last;
  }

  /** Declares one more application, and gives the commit once the load is deployed with it. */
  async join(application: string): Promise<string> {
    this.#others = [...new Set([...this.#others, application])]; // it may have stayed where a test failed
    await this.#declare();
    await eventually(() => allAt(this.#hive, this.last), { timeoutMs: DEPLOYED_MS, intervalMs: 1_000 });
    return this.last.commit;
  }

  /** From the next commit on it is declared no more. Gives the time, in milliseconds of `performance.now`. */
  leave(application: string): number {
    this.#others = this.#others.filter((name) => name !== application);
    return performance.now();
  }

  async #declare(more: Record<string, string> = {}): Promise<void> {
    const turn = this.#last.turn + 1;
    const names = [...loadNames, ...this.#others];
    const files = Object.fromEntries(names.map((name) => [`${name}.yaml`, replicated(0, turnText(turn))]));
    this.#last = { turn, commit: await this.#hive.declare(['shop', ...names], { ...files, ...more }) };
  }
}

/** Throws unless the swarm has this turn of every application of the load, and every gateway that answers lists it so. */
export async function allAt(hive: Installation, { turn, commit }: Turn): Promise<void> {
  const wrong: string[] = [];
  const services = await hive.lab.node(1).docker.listServices();
  const running = new Map(services.map(({ Spec: spec }) => [spec?.Name, turnOf(spec)]));
  for (const name of loadNames) {
    const found = running.get(name + WEB);
    if (found !== turn) wrong.push(`the swarm has ${name} at turn ${found}`);
  }
  const lists = await hive.getEach<{ applications: View[] }>('/applications');
  if (lists.length === 0) wrong.push('no gateway answers');
  for (const { applications } of lists) {
    const views = new Map(applications.map((view) => [view.spec.name, view.status]));
    for (const name of loadNames) {
      const { sync, error = '' } = views.get(name) ?? {};
      if (sync?.revision !== commit || sync.state !== 'synced')
        wrong.push(`a gateway lists ${name} as ${sync?.state} at ${sync?.revision} ${error}`);
    }
  }
  if (wrong.length > 0) throw new Error(`not at turn ${turn}, commit ${commit}: ${wrong.slice(0, 8).join('; ')} (${wrong.length} in all)`);
}

/** Which turn a service's spec is of; undefined for what is not of the load. */
export function turnOf(spec: object | undefined): number | undefined {
  const { TaskTemplate: template } = (spec ?? {}) as { TaskTemplate?: { ContainerSpec?: { Env?: string[] } } }; // the daemon's schema
  const [, turn] = /^TEXT=turn (\d+)$/m.exec(template?.ContainerSpec?.Env?.join('\n') ?? '') ?? [];
  return turn === undefined ? undefined : Number(turn);
}

/** Whether a service is the one of an application of the load. */
export const isOfLoad = (service: string): boolean => service.endsWith(WEB) && loadNames.includes(service.slice(0, -WEB.length));
