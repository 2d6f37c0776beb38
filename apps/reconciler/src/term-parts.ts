import type { ReleaseRecord } from '@hivekeep/charts';
import type { Bus, Logger } from '@hivekeep/runtime';
import type {
  AppStateStore,
  Backend,
  DockerSwarm,
  IntentStore,
  OwnServiceFinder,
  RecordStore,
  Registry,
  SwarmLease,
  SwarmWatcher,
} from '@hivekeep/swarm';
import type { Board } from './board.ts';
import type { ReconcilerOptions } from './config.ts';
import type { SourceClient } from './source-client.ts';

/** What outlives a term: connections and stores, no memory of what was seen. */
export interface TermParts {
  readonly options: ReconcilerOptions;
  readonly version: string;
  readonly apiVersion: string;
  readonly bus: Bus;
  readonly swarm: DockerSwarm;
  readonly backend: Backend;
  readonly registry: Registry;
  readonly watcher: SwarmWatcher;
  readonly lease: SwarmLease;
  readonly records: RecordStore<ReleaseRecord>;
  readonly intents: IntentStore;
  readonly states: AppStateStore;
  readonly own: OwnServiceFinder;
  readonly source: SourceClient;
  readonly board: Board;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly monotonicNow: () => number;
}
