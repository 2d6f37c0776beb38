import { connectNatsBus, type Logger, type NatsCredentials, type ServiceBus } from '@hivekeep/runtime';
import type { SettingsOf } from '../settings/shapes.ts';

type BusSettings = Pick<
  SettingsOf<'gateway'>,
  | 'nats'
  | 'natsCreds'
  | 'natsSeedFile'
  | 'natsUser'
  | 'natsPasswordFile'
  | 'natsCa'
  | 'natsCert'
  | 'natsKey'
  | 'natsInboxPrefix'
  | 'natsReplicas'
>;

/** Connects a service to its NATS server; waits for one that is not there yet. */
export function natsBus(name: string, settings: BusSettings, logger: Logger): Promise<ServiceBus> {
  const { nats, natsCa, natsCert, natsKey, natsInboxPrefix, natsReplicas } = settings;
  const credentials = credentialsOf(settings);
  const tls = { ...(natsCa && { caFile: natsCa }), ...(natsCert && { certFile: natsCert }), ...(natsKey && { keyFile: natsKey }) };
  return connectNatsBus({
    servers: nats,
    name,
    logger,
    ...(credentials && { credentials }),
    ...(Object.keys(tls).length > 0 && { tls }),
    limits: { replicas: Number(natsReplicas) },
    ...(natsInboxPrefix && { inboxPrefix: natsInboxPrefix }),
  });
}

function credentialsOf({ natsCreds, natsSeedFile, natsUser, natsPasswordFile }: BusSettings): NatsCredentials | undefined {
  if (natsCreds !== undefined) return { credsFile: natsCreds };
  if (natsSeedFile !== undefined) return { seedFile: natsSeedFile };
  return natsUser !== undefined && natsPasswordFile !== undefined ? { user: natsUser, passwordFile: natsPasswordFile } : undefined;
}
