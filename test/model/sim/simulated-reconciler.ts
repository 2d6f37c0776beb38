import { leaseName } from '@hivekeep/application';
import { type ReleaseRecord, recordCodec } from '@hivekeep/charts';
import type { sourceCalls } from '@hivekeep/contracts';
import { Board, Reconciler, ReconcilerOptions, SourceClient } from '@hivekeep/reconciler/testing';
import { silentLogger } from '@hivekeep/runtime';
import {
  type AppState,
  AppStateStore,
  DockerBackend,
  givenTo,
  type OwnService,
  OwnServiceFinder,
  RecordStore,
  SingleSwarmRegistry,
  SwarmLease,
  SwarmWatcher,
} from '@hivekeep/swarm';
import type { EngineRequest } from '@hivekeep/swarm/testing';
import { intentsWithoutRules } from './intents-without-rules.ts';
import type { Random } from './random.ts';
import { HOME } from './repository.ts';
import { isOff } from './rules.ts';
import { type BusWorld, SimulatedBus } from './simulated-bus.ts';
import { type Fate, SimulatedHttp } from './simulated-http.ts';
import { SimulatedDocker } from './simulated-node.ts';
import { type Answer, type Sender, type SimulatedSwarm, wallClock } from './simulated-swarm.ts';
import { Host } from './virtual-time.ts';

/** A manager that reconcilers talk to. */
export interface Manager {
  /** What an isolated one goes on telling, and until when. */
  isolated: { readonly objects: ReturnType<SimulatedSwarm['remember']>; readonly until: number } | undefined;
}

export interface Trouble {
  /** Shares of writes that land 20 s late, are done without an answer, or are not done. */
  late: number;
  unanswered: number;
  lost: number;
}

export interface ReconcilerWorld extends BusWorld {
  readonly swarm: SimulatedSwarm;
  readonly trouble: Trouble;
  /** What is to become of a call; undefined: what becomes of most. */
  intercept(request: EngineRequest, by: SimulatedReconciler): Fate | undefined;
}

/** The protocol's, but for looks that are rarer: they are most of what a history costs. */
const TIMES = { pollMs: 2_500 };
const LATE_MS = 20_000;
const FIXED = { prune: true, pruneVolumes: true, home: true, swarm: HOME };

class NeverProven extends SwarmLease {
  override async renewNow(): Promise<void> {}
}

class UnclaimedStates extends AppStateStore {
  override async update(...[application, change, options]: Parameters<AppStateStore['update']>): Promise<AppState> {
    const nothing = {};
    return change(nothing) === nothing ? nothing : super.update(application, change, options);
  }
}

/** One that goes on, where no source has a set, with the last it was given: in an earlier term, too. */
class RememberingClient extends SourceClient {
  #last: sourceCalls.AppSetAnswer | undefined;

  override async appSet(...asked: Parameters<SourceClient['appSet']>): Promise<sourceCalls.AppSetAnswer> {
    try {
      this.#last = await super.appSet(...asked);
    } catch (error) {
      if (!this.#last) throw error;
      this.#last = { ...this.#last, complete: false };
    }
    return this.#last;
  }
}

/** A reconciler that is no service of the swarm; files are looked for in real time, which a history has none of. */
class NoService extends OwnServiceFinder {
  override async find(): Promise<OwnService> {
    return givenTo(undefined);
  }
}

/** A whole reconciler as it runs in production, from its start: over a simulated manager, bus and clock. */
export class SimulatedReconciler {
  readonly host: Host;
  readonly bus: SimulatedBus;
  readonly lease: SwarmLease;
  readonly reconciler: Reconciler;
  readonly manager: Manager;
  /** It crashes at its write after so many more. */
  dieAfter: number | undefined;
  readonly #world: ReconcilerWorld;
  readonly #random: Random;
  #taken: number | undefined;

  constructor(world: ReconcilerWorld, manager: Manager, name: string, options: Partial<ReconcilerOptions>) {
    this.#world = world;
    this.#random = world.random;
    this.manager = manager;
    const { time } = world.swarm;
    this.host = new Host(time, name);
    this.bus = new SimulatedBus(this.host, world);
    const { lease, reconciler } = this.host.run(() => this.#start(ReconcilerOptions.parse({ ...FIXED, ...options })));
    this.lease = lease;
    this.reconciler = reconciler;
  }

  get active(): boolean {
    return !this.host.dead && !this.host.suspended && this.lease.state === 'active';
  }

  /** Ends it without a word. What it has sent arrives all the same. */
  crash(): void {
    this.host.dead = true;
  }

  /** Takes a planned crash back. */
  liveOn(): void {
    this.dieAfter = undefined;
  }

  /** Ends it as a service is ended: the lease is given back. */
  async stop(): Promise<void> {
    await this.host.run(async () => {
      await this.reconciler.close();
      await this.lease.stop({ release: true });
    });
    this.host.dead = true;
  }

  #start(options: ReconcilerOptions): { lease: SwarmLease; reconciler: Reconciler } {
    const { host, bus } = this;
    const now = () => new Date(wallClock(host.time.now));
    const monotonicNow = () => host.monotonic;
    const swarm = new SimulatedDocker(
      new SimulatedHttp({
        host,
        latency: () => this.#random.between(1, 40),
        fate: (request) => this.#fate(request),
        arrival: (request) => this.#arrival(request),
      }),
    );
    const binding = { controllerId: options.controllerId, swarm: HOME, home: true, appSet: 'git.test apps.yaml' };
    const leaseClock = () => (isOff('a holder stops when its time is over') ? this.#standing() : host.monotonic);
    const Lease = isOff('a batch renews the lease') ? NeverProven : SwarmLease;
    const lease = new Lease({ swarm, name: leaseName(options.controllerId), binding, monotonicNow: leaseClock, times: TIMES });
    const beforeWrite = () => lease.assertMayWrite();
    const records = new RecordStore<ReleaseRecord>({ swarm, codec: recordCodec, beforeWrite });
    const watcher = new SwarmWatcher({ swarm, configData: records, now: () => wallClock(host.time.now), monotonicNow });
    const backend = new DockerBackend({ target: { swarm: HOME }, swarm, watcher, beforeWrite });
    const reconciler = new Reconciler(
      {
        options,
        version: '1.0.0',
        apiVersion: '1.41',
        bus,
        swarm,
        watcher,
        lease,
        records,
        backend,
        registry: new SingleSwarmRegistry({ backend, home: true }),
        intents: intentsWithoutRules({ swarm, beforeWrite }),
        states: new (isOff('a new holder writes the marks anew') ? UnclaimedStates : AppStateStore)({
          swarm,
          controllerId: options.controllerId,
          beforeWrite: () => lease.assertActive(),
          epoch: () => lease.epoch,
        }),
        own: new NoService({ swarm }),
        source: new (isOff('a new holder starts with an empty memory') ? RememberingClient : SourceClient)(bus, HOME),
        board: new Board(bus, HOME, silentLogger, now),
        logger: silentLogger,
        now,
        monotonicNow,
      },
      async () => undefined,
    );
    lease.onChange(() => reconciler.follow());
    lease.start();
    return { lease, reconciler };
  }

  /** A clock that stands while the lease is held. */
  #standing(): number {
    if (this.lease?.state !== 'active') this.#taken = undefined;
    else this.#taken ??= this.host.monotonic;
    return this.#taken ?? this.host.monotonic;
  }

  #fate(request: EngineRequest): Fate {
    const wanted = this.#world.intercept(request, this);
    if (wanted !== undefined) return wanted;
    const { method, body } = request;
    const { isolated } = this.manager;
    if (isolated) {
      if (method !== 'GET') return 'lost';
      return this.host.time.now < isolated.until ? 'pass' : 'refused';
    }
    if (method === 'GET') return 'pass';
    if (this.dieAfter !== undefined && !isLease(body) && this.dieAfter-- <= 0) {
      this.crash();
      return this.#random.chance(0.5) ? 'pass' : 'lost';
    }
    const { late, unanswered, lost } = this.#world.trouble;
    const dice = this.#random.fraction();
    if (dice < late) return LATE_MS;
    if (dice < late + unanswered) return 'unanswered';
    return dice < late + unanswered + lost ? 'refused' : 'pass';
  }

  #arrival(request: EngineRequest): () => Answer {
    const sender: Sender = { name: this.host.name, epoch: this.lease?.epoch ?? 0, sentAt: this.host.time.now };
    const stale = request.method === 'GET' ? this.manager.isolated?.objects : undefined;
    return () => this.#world.swarm.answer(request, sender, stale);
  }
}

function isLease(body: unknown): boolean {
  return body instanceof Object && 'Name' in body && String(body.Name).startsWith('hivekeep.lease.');
}
