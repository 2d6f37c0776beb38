import { appStateName, labels } from '@hivekeep/application';
import type { Labels } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveObject } from '@hivekeep/planner';
import type { DockerSwarm } from '../client/docker-swarm.ts';
import type { CallOptions } from '../client/engine-http.ts';
import { type AppState, appStateLabels } from './app-state.ts';
import { StateLabels } from './state-labels.ts';

const ATTEMPTS = 5;

/** Each application's state, by name, among a snapshot's configs. @throws HivekeepError `swarm/invalid` */
export function appStatesOf(configs: readonly LiveObject[], controllerId: string): Map<string, AppState> {
  const own = configs.filter((config) => config.labels[labels.type] === 'app' && config.labels[labels.controller] === controllerId);
  return new Map(own.map((config) => [config.labels[labels.application] ?? '', appStateLabels.read(config.labels)]));
}

/** Applications' state on the swarm: one config each, made when there is something to keep, changed by compare-and-swap. */
export class AppStateStore {
  readonly #swarm: DockerSwarm;
  readonly #controllerId: string;
  readonly #beforeWrite: () => void;
  readonly #epoch: () => number;

  /** `beforeWrite` throws when this process must not write: the lease's `assertActive`. `epoch`: of the term, noted at each write. */
  constructor(options: { swarm: DockerSwarm; controllerId: string; beforeWrite: () => void; epoch?: () => number }) {
    this.#swarm = options.swarm;
    this.#controllerId = options.controllerId;
    this.#beforeWrite = options.beforeWrite;
    this.#epoch = options.epoch ?? (() => 0);
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
      const found = await this.#findFilled(application, options);
      const next = change(found ? appStateLabels.read(found.labels) : {});
      const epoch = this.#epoch() > 0 ? { [labels.epoch]: String(this.#epoch()) } : {};
      const nextLabels = appStateLabels.write({ ...(found?.labels ?? this.#identity(application)), ...epoch }, next);
      try {
        this.#beforeWrite();
        await this.#write(application, found, nextLabels, options);
        return next;
      } catch (error) {
        const again = HivekeepError.is(error, 'swarm/conflict', 'swarm/exists', 'swarm/gone') && attempt < ATTEMPTS;
        if (!again) throw error;
      }
    }
  }

  /** A machine that was suspended with its clock reads what its successor wrote: the index alone would let it overwrite that. */
  #assertNotLater(found: LiveObject | undefined): void {
    const written = Number(found?.labels[labels.epoch]) || 0;
    if (written > this.#epoch() && this.#epoch() > 0)
      throw new HivekeepError('lease/deposed', `${found?.name} was written in epoch ${written}, later than our ${this.#epoch()}`);
  }

  async #write(application: string, found: LiveObject | undefined, next: Labels, options: CallOptions): Promise<void> {
    const empty = !StateLabels.holdsAny(next);
    const name = appStateName(this.#controllerId, application);
    if (!found) {
      if (!empty) await this.#swarm.createConfig({ Name: name, Labels: next, Data: Buffer.from('state').toString('base64') }, options);
      return;
    }
    await this.#swarm.updateConfigLabels(found.id, found.version, { Name: name, Labels: next }, options);
    if (empty) await this.#swarm.removeConfig(found.id, options);
  }

  /**
   * The config to write to. A delete knows no version and may land late, so a state is emptied by compare-and-swap first, and
   * what was emptied is never filled again: it goes, and what is kept next gets a config of its own.
   */
  async #findFilled(application: string, options: CallOptions): Promise<LiveObject | undefined> {
    const found = await this.#find(application, options);
    this.#assertNotLater(found);
    if (!found || StateLabels.holdsAny(found.labels)) return found;
    this.#beforeWrite();
    await this.#swarm.removeConfig(found.id, options);
    return undefined;
  }

  async #find(application: string, options: CallOptions): Promise<LiveObject | undefined> {
    const name = appStateName(this.#controllerId, application);
    return (await this.#swarm.listConfigs({ ...options, name })).find((config) => config.name === name);
  }

  #identity(application: string): Labels {
    return { [labels.type]: 'app', [labels.controller]: this.#controllerId, [labels.application]: application };
  }
}
