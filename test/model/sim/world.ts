import { HivekeepError } from '@hivekeep/contracts';
import type { ReconcilerOptions } from '@hivekeep/reconciler/testing';
import { controllerStateLabels } from '@hivekeep/swarm';
import { Properties } from './properties.ts';
import { Random } from './random.ts';
import { Repository } from './repository.ts';
import { SimulatedNode } from './simulated-node.ts';
import type { ReconcilerWorld } from './simulated-reconciler.ts';
import { type Manager, SimulatedReconciler } from './simulated-reconciler.ts';
import { SimulatedSource } from './simulated-source.ts';
import { SimulatedSwarm } from './simulated-swarm.ts';
import { VirtualTime } from './virtual-time.ts';

/** Shortened in proportion to each other; the lease and tickets have the protocol's times. */
const OPTIONS = { appSetIntervalMs: 15_000, reconcileIntervalMs: 15_000, pruneVolumesAfterMs: 5_000 };

const NODES = 3;
type LeaseNodes = ReturnType<typeof controllerStateLabels.read>['nodes'];

/** A swarm with its sources, agents and reconcilers, all in one process and in one time. */
export class World implements ReconcilerWorld {
  readonly random: Random;
  readonly time = new VirtualTime();
  readonly repository = new Repository();
  readonly swarm: SimulatedSwarm;
  readonly sources: readonly SimulatedSource[];
  readonly properties: Properties;
  readonly trouble = { late: 0, unanswered: 0, lost: 0 };
  /** One on each manager. */
  readonly reconcilers: SimulatedReconciler[];
  readonly log: string[] = [];
  intercept: ReconcilerWorld['intercept'] = () => undefined;
  readonly #options: Partial<ReconcilerOptions>;
  readonly #managers: readonly Manager[];
  #nodes = 0;
  #starts = 0;

  constructor(seed: number, reconcilers: number, options: Partial<ReconcilerOptions> = {}) {
    this.#options = { ...OPTIONS, ...options };
    this.random = new Random(seed);
    this.swarm = new SimulatedSwarm(this.time, this.random);
    this.properties = new Properties(this.swarm, this.repository);
    this.properties.tell = (line) => this.say(line);
    for (let count = 0; count < NODES; count += 1) this.addNode();
    this.sources = ['source-1', 'source-2'].map((name) => new SimulatedSource(this.time, name, this.repository));
    this.#managers = Array.from({ length: reconcilers }, () => ({ isolated: undefined }));
    this.reconcilers = this.#managers.map((_, index) => this.#started(index));
  }

  get nodes(): readonly SimulatedNode[] {
    return this.swarm.nodes;
  }

  get active(): SimulatedReconciler | undefined {
    return this.reconcilers.find(({ active }) => active);
  }

  onAppSet(): void {}

  say(line: string): void {
    this.log.push(`${(this.time.now / 1000).toFixed(1)} s: ${line}`);
  }

  addNode(disk?: SimulatedNode['volumes']): SimulatedNode {
    this.#nodes += 1;
    const node = new SimulatedNode(this.time, `node-${this.#nodes}`, `host-${this.#nodes}`, disk);
    node.startAgent();
    this.properties.watch(node);
    this.swarm.addNode(node);
    return node;
  }

  commit(...change: Parameters<Repository['commit']>): void {
    this.repository.commit(...change);
    this.properties.committed();
  }

  /** What the lease says of nodes. */
  knownNodes(): NonNullable<LeaseNodes> {
    const lease = this.swarm.objects('configs').find(({ Spec }) => Spec.Name === 'hivekeep.lease.default');
    return controllerStateLabels.read(lease?.Spec.Labels ?? {}).nodes ?? {};
  }

  /** Starts a process anew where one has ended. */
  restart(index: number): void {
    if (this.reconcilers[index]?.host.dead) this.reconcilers[index] = this.#started(index);
  }

  /** A person begins to allow everything that waits for it, and to give up nodes that left. */
  personAgrees(forget: boolean): void {
    const { active } = this;
    void active?.host.run(async () => {
      try {
        const { sweeper } = active.reconciler.term();
        for (const { id, items } of sweeper.list().approvals) {
          // before the call: one whose answer is lost may land
          for (const { release } of items) this.properties.agreed.add(release);
          await sweeper.approve(id, undefined, 'person');
        }
        if (!forget) return;
        for (const [id, node] of Object.entries(active.lease.lastKnown?.state.nodes ?? {})) {
          const found = this.nodes.find((one) => one.id === id);
          if (found?.listed || node.forgotten) continue;
          if (found) found.forgotten = true;
          await sweeper.forgetNode(id, 'person');
        }
      } catch (error) {
        this.say(`the person is told: ${HivekeepError.from(error).message}`);
      }
    });
  }

  #started(index: number): SimulatedReconciler {
    this.#starts += 1;
    return new SimulatedReconciler(this, this.#managers[index] as Manager, `reconciler-${this.#starts}`, this.#options);
  }
}
