import type { View } from '@hivekeep/contracts';
import { awaitState } from './await-state.ts';
import type { DemoController } from './demo-controller.ts';
import { applicationNames } from './demo-files.ts';
import type { DemoRepository } from './demo-repository.ts';
import type { DemoSwarm } from './demo-swarm.ts';
import type { DemoTable } from './demo-table.ts';
import type { Engines } from './engines.ts';

/** A demo that runs. */
export interface Demo {
  readonly swarm: DemoSwarm;
  readonly engines: Engines;
  readonly repository: DemoRepository;
  readonly controller: DemoController;
  readonly table: DemoTable;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

const ALL_WELL_MS = 90_000;

/** Shows the applications until all are synced and healthy. Throws `rollout/timeout` naming what is not, `cancelled`. */
export async function awaitAllWell(demo: Demo): Promise<void> {
  const look = async () => {
    const views = await demo.controller.applications();
    demo.table.show(views);
    if (views.length < applicationNames.length) return `${views.length} of ${applicationNames.length} applications are known`;
    const ill = views.find((view) => !isWell(view));
    return (
      ill && `${ill.spec.name} is ${ill.status.sync.state} and ${ill.status.health.state}${ill.status.error ? `: ${ill.status.error}` : ''}`
    );
  };
  await awaitState(look, { what: 'all applications synced and healthy', timeoutMs: ALL_WELL_MS, signal: demo.signal });
  demo.table.end();
}

export const isWell = ({ status }: View): boolean => status.sync.state === 'synced' && status.health.state === 'healthy';
