import { ReconcilerOptions, startReconciler } from '@hivekeep/reconciler';
import type { Logger, ServiceBus } from '@hivekeep/runtime';
import type { SettingsOf } from '../settings/shapes.ts';
import { endpointOf } from './engine-endpoint.ts';
import { version } from './process.ts';
import type { Stoppable } from './run-until-stopped.ts';

/** The reconciler of one swarm over the engine of a manager. It ends by itself when the lease refuses it. */
export async function reconcilerPart(
  bus: ServiceBus,
  settings: Omit<SettingsOf<'reconciler'>, 'nats' | 'natsReplicas'>,
  logger: Logger,
): Promise<Stoppable> {
  const options = ReconcilerOptions.parse({
    ...settings,
    reconcileIntervalMs: settings.reconcileInterval,
    appSetIntervalMs: settings.appsetInterval,
    pruneVolumesAfterMs: settings.pruneVolumesAfter,
  });
  const reconciler = await startReconciler({ bus, endpoint: endpointOf(settings.dockerHost), options, logger, version });
  return { name: 'reconciler', health: reconciler.health, ended: reconciler.refused, stop: () => reconciler.close() };
}
