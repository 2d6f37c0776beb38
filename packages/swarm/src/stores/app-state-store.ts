import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveObject } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { CallOptions } from '../client/engine-http.ts';
import { typeLabel } from '../object-labels.ts';
import { appStateName } from '../object-names.ts';
import { type AppState, appStateLabels } from './app-state.ts';
import { StateLabels } from './state-labels.ts';

const controllerLabel = 'com.hivekeep.controller';
const applicationLabel = 'com.hivekeep.application';
const ATTEMPTS = 5;

/** Each application's state, by name, among a snapshot's configs. @throws HivekeepError `swarm/invalid` */
export function appStatesOf(configs: readonly LiveObject[], controllerId: string): Map<string, AppState> {
  const own = configs.filter(({ labels }) => labels[typeLabel] === 'app' && labels[controllerLabel] === controllerId);
  return new Map(own.map(({ labels }) => [labels[applicationLabel] ?? '', appStateLabels.read(labels)]));
}

/** Applications' state on the swarm: one config each, made when there is something to keep, changed by compare-and-swap. */
export class AppStateStore {
  readonly #swarm: DockerSwarm;
  readonly #controllerId: string;
  readonly #beforeWrite: () => void;

  /** `beforeWrite` throws when this process must not write: the lease's `assertActive`. */
  constructor(options: { swarm: DockerSwarm; controllerId: string; beforeWrite: () => void }) {
    this.#swarm = options.swarm;
    this.#controllerId = options.controllerId;
    this.#beforeWrite = options.beforeWrite;
  }

  /** The state as it is now; `{}` when nothing is kept. */
  async read(application: string, options: CallOptions = {}): Promise<AppState> {
    const found = await this.#find(application, options);
    return found ? appStateLabels.read(found.labels) : {};
  }

  /**
   * Reads the state, gives it to `change`, writes what that gives; again on a conflict, so `change` may run several times.
   * @throws HivekeepError `state/too-large`, `swarm/conflict` after 5 attempts, `lease/deposed`, `swarm/*`
   */
  async update(application: string, change: (state: AppState) => AppState, options: CallOptions = {}): Promise<AppState> {
    for (let attempt = 1; ; attempt++) {
      const found = await this.#find(application, options);
      const next = change(found ? appStateLabels.read(found.labels) : {});
      const labels = appStateLabels.write(found?.labels ?? this.#identity(application), next);
      try {
        this.#beforeWrite();
        await this.#write(application, found, labels, options);
        return next;
      } catch (error) {
        const again = HivekeepError.is(error, 'swarm/conflict', 'swarm/exists', 'swarm/gone') && attempt < ATTEMPTS;
        if (!again) throw error;
      }
    }
  }

  async #write(application: string, found: LiveObject | undefined, labels: Labels, options: CallOptions): Promise<void> {
    const empty = !StateLabels.holdsAny(labels);
    const name = appStateName(this.#controllerId, application);
    if (!found) {
      if (!empty) await this.#swarm.createConfig({ Name: name, Labels: labels, Data: Buffer.from('state').toString('base64') }, options);
      return;
    }
    await this.#swarm.updateConfigLabels(found.id, found.version, { Name: name, Labels: labels }, options);
    // Emptied by compare-and-swap first: a delete knows no version and must not take what someone else just kept.
    if (empty) await this.#swarm.removeConfig(found.id, options);
  }

  async #find(application: string, options: CallOptions): Promise<LiveObject | undefined> {
    const name = appStateName(this.#controllerId, application);
    return (await this.#swarm.listConfigs({ ...options, name })).find((config) => config.name === name);
  }

  #identity(application: string): Labels {
    return { [typeLabel]: 'app', [controllerLabel]: this.#controllerId, [applicationLabel]: application };
  }
}
