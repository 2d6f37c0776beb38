import { type ReleaseRecord, recordCodec } from '@hivekeep/charts';
import { Artifact, type Spec } from '@hivekeep/contracts';
import { type Logger, MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import {
  AppStateStore,
  type Backend,
  DockerBackend,
  DockerNodeBackend,
  IntentStore,
  RecordStore,
  SingleSwarmRegistry,
  SwarmLease,
  SwarmWatcher,
} from '@hivekeep/swarm';
import { FakeEngine } from '@hivekeep/swarm/testing';
import { eventually } from '@hivekeep/testkit';
import { WriteGate } from '../apply/gate.ts';
import { Board } from '../board.ts';
import { Daemon } from '../daemon.ts';
import { Looks } from '../looks.ts';
import { builtReleases } from '../passes/application-plan.ts';
import { Registrations } from '../registrations.ts';
import { SourceClient } from '../source-client.ts';
import { type DepartedRelease, SwarmEngine, type WantedApplication } from '../swarm-engine.ts';
import { readWorld } from '../world.ts';
import { SourceState, startFakeSource } from './fake-source.ts';

export interface EngineOptions {
  /** The backend as the engine is to see it. */
  readonly narrow?: (backend: Backend) => Backend;
  readonly registryAuthDir?: string;
}

const CONTROLLER = 'default';
const TARGET = { swarm: 'test' };
const EMPTY_RELEASE = { wave: 0, chart: { name: 'compose', version: '0.0.0', ref: 'compose' }, values: {}, files: {}, secrets: [] };

const forever = new AbortController().signal;

/** A swarm's engine that holds the lease, over a daemon in memory. */
export interface EngineUnderTest extends AsyncDisposable {
  readonly engine: SwarmEngine;
  readonly backend: Backend;
  readonly lease: SwarmLease;
  readonly looks: Looks;
  readonly daemon: FakeEngine;
  readonly source: SourceState;
  /** `<type> <application>` of each event. */
  readonly events: string[];
  /** Resolves when every event told so far is in `events`. */
  told(): Promise<void>;
  /** What was warned of in the log. */
  readonly warnings: string[];
}

export async function engineUnderTest({
  narrow = (backend) => backend,
  registryAuthDir = '/none',
}: EngineOptions = {}): Promise<EngineUnderTest> {
  const daemon = await FakeEngine.start();
  const broker = new MemoryBroker();
  const bus = new MemoryBus(broker, silentLogger);
  const source = new SourceState();
  const service = await startFakeSource(new MemoryBus(broker, silentLogger), source);
  const swarm = daemon.client();
  const binding = { controllerId: CONTROLLER, swarm: TARGET.swarm, home: true, appSet: 'test' };
  const lease = new SwarmLease({ swarm, name: `hivekeep.lease.${CONTROLLER}`, binding });
  lease.start();
  await eventually(() => lease.state === 'active');
  const beforeWrite = (): void => lease.assertMayWrite();
  const records = new RecordStore<ReleaseRecord>({ swarm, codec: recordCodec, beforeWrite });
  const watcher = new SwarmWatcher({ swarm, configData: records });
  const backend = narrow(new DockerBackend({ target: TARGET, swarm, watcher, beforeWrite, credentialsDir: registryAuthDir }));
  const looks = new Looks(() => readWorld({ backend, records, controllerId: CONTROLLER }, forever));
  const node = new DockerNodeBackend({ daemon: swarm, nodeId: daemon.nodeId });
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message, details) => void warnings.push(`${message} ${JSON.stringify(details)}`) };
  const events: string[] = [];
  await bus.events.subscribe(undefined, (stored) => {
    if ('event' in stored) events.push(`${stored.event.type} ${stored.event.application}`);
  });
  const [now, monotonicNow] = [() => new Date(), () => performance.now()];
  const board = new Board(bus, TARGET.swarm, silentLogger, now);
  const engine = new SwarmEngine({
    ...{ looks, records, watcher, lease, logger, now, monotonicNow, swarm: TARGET.swarm, controllerId: CONTROLLER },
    daemon: new Daemon(swarm, watcher, new WriteGate(lease), monotonicNow),
    intents: new IntentStore({ swarm, beforeWrite }),
    states: new AppStateStore({ swarm, controllerId: CONTROLLER, beforeWrite }),
    registry: new SingleSwarmRegistry({ backend, home: true }),
    registrations: new Registrations(),
    source: new SourceClient(bus, TARGET.swarm),
    board,
    reach: { outdated: new Set(), nodes: async () => [{ id: daemon.nodeId, hostname: 'node1' }], nodeBackend: () => node },
    planContext: async () => ({
      controllerId: CONTROLLER,
      epoch: lease.epoch,
      apiVersion: '1.41',
      own: { secrets: new Set(['own-secret']), configs: new Set(), volumes: new Set() },
      others: { living: new Set(), takeOver: false },
      now: now().getTime(),
    }),
  });
  const told = async (): Promise<void> => {
    board.event('unfrozen');
    await eventually(() => events.includes('unfrozen '));
  };
  const end = async (): Promise<void> => {
    daemon.behave = () => 'pass';
    await lease.stop({ release: false });
    await service.close();
    await bus.close();
    swarm.close();
    await daemon[Symbol.asyncDispose]();
  };
  return { engine, backend, lease, looks, daemon, source, events, warnings, told, [Symbol.asyncDispose]: end };
}

/** An application of one release of its name, as if its source had rendered to this. */
export function wantedApplication(spec: Spec, manifest: string, more: Partial<Artifact['releases'][number]> = {}): WantedApplication {
  const release = { ...EMPTY_RELEASE, name: spec.name, manifest, ...more };
  const releases = builtReleases(Artifact.parse({ format: 'hivekeep.artifact/v1', releases: [release], warnings: [] }));
  return { spec, built: { digest: '', provenance: { commit: 'c'.repeat(40) }, warnings: [], releases } };
}

/** A release that nothing declares any more and nobody holds back. */
export function departedRelease(release: string, removeVolumes: boolean): DepartedRelease {
  const seen = { departure: { state: 'departed', moved: false, commit: 'c'.repeat(40) }, undecided: [] } as const;
  return {
    ...seen,
    stamped: { application: release, release },
    now: () => Date.now(),
    ownStack: undefined,
    enabled: true,
    volumes: { enabled: removeVolumes, waitMs: 0 },
    deletionsFrom: 0,
    frozen: () => false,
    reload: async () => seen,
    held: () => undefined,
  };
}
