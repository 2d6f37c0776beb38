import { ReconcilerOptions, startReconciler } from '@hivekeep/reconciler';
import type { Logger, ServiceBus } from '@hivekeep/runtime';
import type { SettingsOf } from '../settings/shapes.ts';
import { engineOf, version } from './parts.ts';
import type { Stoppable } from './run-until-stopped.ts';

/** The reconciler of one swarm over the engine of a manager. */
export async function reconcilerPart(
  bus: ServiceBus,
  settings: Omit<SettingsOf<'reconciler'>, 'nats'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Stoppable> {
  const config = ReconcilerOptions.parse({
    ...settings,
    reconcileIntervalMs: settings.reconcileInterval,
    appSetIntervalMs: settings.appsetInterval,
    pruneVolumesAfterMs: settings.pruneVolumesAfter,
  });
  const reconciler = await startReconciler({ bus, config, engine: engineOf(settings.dockerHost), logger, signal, version });
  return { name: 'reconciler', stop: () => reconciler.stop() };
}
