import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { leaseName } from '@hivekeep/application';
import { type ReleaseRecord, recordCodec } from '@hivekeep/charts';
import { HivekeepError, reconcilerCalls } from '@hivekeep/contracts';
import { countDaemonCall, type Logger, type RunningService, type ServiceBus, startService } from '@hivekeep/runtime';
import {
  AppStateStore,
  DockerBackend,
  type DockerEndpoint,
  DockerSwarm,
  IntentStore,
  OwnServiceFinder,
  RecordStore,
  SingleSwarmRegistry,
  SwarmLease,
  SwarmWatcher,
} from '@hivekeep/swarm';
import { Module } from '@nestjs/common';
import { Board } from './board.ts';
import { LIMITS, type ReconcilerOptions } from './config.ts';
import { ReconcilerController } from './reconciler.controller.ts';
import { Reconciler } from './reconciler.ts';
import { reconcilerMetrics } from './reconciler-metrics.ts';
import { SourceClient } from './source-client.ts';
import { pause, within } from './work/lane.ts';

export interface StartReconcilerOptions {
  /** Closed with the service. */
  readonly bus: ServiceBus;
  /** The manager's daemon. */
  readonly endpoint: DockerEndpoint;
  readonly options: ReconcilerOptions;
  readonly logger: Logger;
  readonly version: string;
}

export interface RunningReconciler extends RunningService {
  /** Resolves with why, when the lease refuses this process: it must end. Never rejects. */
  readonly refused: Promise<HivekeepError>;
}

@Module({ controllers: [ReconcilerController] })
class ReconcilerModule {}

/** How long between two tries to learn the app set's identity and the daemon's version, in milliseconds. */
const CONNECT_RETRY_MS = 1_000;
/** How long a bus that does not answer holds up the release of the lease, in milliseconds. */
const LAST_VIEWS_MS = 1_000;

/**
 * Starts one swarm's reconciler. It connects in the background, waits for the lease as a standby, and answers calls while it
 * is the active one. Closing gives the lease back, so that a standby need not wait.
 */
export async function startReconciler({ bus, endpoint, options, logger, version }: StartReconcilerOptions): Promise<RunningReconciler> {
  const stopping = new AbortController();
  const swarm = new DockerSwarm({ endpoint, onCall: countDaemonCall });
  const board = new Board(bus, options.swarm, logger, () => new Date());
  const holder: { reconciler?: Reconciler } = {};
  const proxy = {
    term: () => active(holder.reconciler).term(),
    freeze: (a: string, r: string) => active(holder.reconciler).freeze(a, r),
    unfreeze: (a: string) => active(holder.reconciler).unfreeze(a),
  };
  const service = await startService({
    name: 'reconciler',
    module: { module: ReconcilerModule, providers: [{ provide: Reconciler, useValue: proxy }] },
    bus,
    contracts: Object.values(reconcilerCalls),
    logger,
    swarm: options.swarm,
    serving: false,
  });
  service.health.add('ready', 'source and engine', () => void active(holder.reconciler));
  const instance = randomUUID();
  let lease: SwarmLease | undefined;
  const withdraw = await bus.presence.announce(() => ({
    service: 'reconciler',
    instance,
    version,
    swarm: options.swarm,
    active: lease?.state === 'active',
    home: options.home,
    at: new Date().toISOString(),
  }));

  const { promise: refused, resolve: refuse } = Promise.withResolvers<HivekeepError>();
  const source = new SourceClient(bus, options.swarm);
  const begin = async (): Promise<() => Promise<void>> => {
    const known = await connect(source, swarm, options, logger, stopping.signal);
    if (!known) return async () => undefined;
    const held = new SwarmLease({
      swarm,
      name: leaseName(options.controllerId),
      binding: bindingOf(options, known.identity),
      takeOver: options.takeOver,
    });
    lease = held;
    const parts = {
      ...stores(swarm, held, options),
      options,
      version,
      apiVersion: known.apiVersion,
      bus,
      swarm,
      lease: held,
      source,
      board,
      logger,
      now: () => new Date(),
      monotonicNow: () => performance.now(),
    };
    const reconciler = new Reconciler(parts, (on) => service.serving.turn(on));
    holder.reconciler = reconciler;
    service.health.add('live', 'loops', () => reconciler.assertRunning());
    held.onChange(() => {
      reconcilerMetrics.leaseHeld.set(held.state === 'active' ? 1 : 0);
      reconcilerMetrics.leaseEpoch.set(held.state === 'active' ? held.epoch : 0);
      reconciler.follow();
      void withdraw.renew();
      if (held.state === 'refused' && held.error) refuse(held.error);
    });
    parts.watcher.start();
    held.start();
    return async () => {
      await reconciler.close();
      await within(board.settled(), LAST_VIEWS_MS); // with the lease the next holder's views begin
      await held.stop({ release: true });
      await parts.watcher.stop();
    };
  };
  const begun = begin();
  begun.catch((error: unknown) => refuse(HivekeepError.from(error)));

  const close = async (): Promise<void> => {
    stopping.abort();
    await (await begun.catch(() => undefined))?.();
    await board.settled();
    await withdraw();
    await service.close();
    swarm.close();
  };
  return { ...service, refused, close };
}

function active(reconciler: Reconciler | undefined): Reconciler {
  if (reconciler) return reconciler;
  throw new HivekeepError('lease/held', 'this reconciler is still connecting; ask again in a few seconds');
}

function bindingOf(
  { controllerId, swarm, home }: ReconcilerOptions,
  appSet: string,
): { controllerId: string; swarm: string; home: boolean; appSet: string } {
  return { controllerId, swarm, home, appSet };
}

function stores(
  swarm: DockerSwarm,
  lease: SwarmLease,
  options: ReconcilerOptions,
): Pick<ConstructorParameters<typeof Reconciler>[0], 'records' | 'intents' | 'states' | 'watcher' | 'backend' | 'registry' | 'own'> {
  const beforeWrite = (): void => lease.assertMayWrite();
  const records = new RecordStore<ReleaseRecord>({ swarm, codec: recordCodec, beforeWrite, budgetBytes: LIMITS.recordBudget });
  const watcher = new SwarmWatcher({ swarm, configData: records });
  const target = { swarm: options.swarm };
  const backend = new DockerBackend({ target, swarm, watcher, beforeWrite, credentialsDir: options.registryAuthDir });
  return {
    records,
    watcher,
    intents: new IntentStore({ swarm, beforeWrite }),
    // Holds and accepted syncs are noted while the swarm is frozen, too: only objects of applications stand still.
    states: new AppStateStore({
      swarm,
      controllerId: options.controllerId,
      beforeWrite: () => lease.assertActive(),
      epoch: () => lease.epoch,
    }),
    backend,
    registry: new SingleSwarmRegistry({ backend, home: options.home }),
    own: new OwnServiceFinder({ swarm }),
  };
}

/** Waits for the source and the daemon; what the lease binds is known then. Undefined when the process stops first. */
async function connect(
  source: SourceClient,
  swarm: DockerSwarm,
  { home }: ReconcilerOptions,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ identity: string; apiVersion: string } | undefined> {
  let said = '';
  while (!signal.aborted) {
    try {
      const apiVersion = await swarm.apiVersion({ signal });
      const { identity } = await source.appSet({ home, have: undefined, evidence: false }, signal);
      return { identity, apiVersion };
    } catch (error) {
      const { message } = HivekeepError.from(error);
      if (message !== said && !signal.aborted) logger.warn('not connected yet', { error });
      said = message;
    }
    await pause(CONNECT_RETRY_MS, signal);
  }
  return undefined;
}
