import { type BusAccount, natsAccounts } from '@hivekeep/runtime';

/** Where the stack mounts what the configuration names. */
export const natsPaths = {
  config: '/etc/nats/hivekeep.conf',
  certificate: '/etc/nats/nats.crt',
  authority: '/etc/nats/ca.crt',
  key: '/run/secrets/nats-key',
  data: '/data',
} as const;

/**
 * Starts the server when no other one has the store. Swarm takes a node that missed its heartbeats, as all do when the leader changes
 * under load, for down: it starts tasks there anew before the old ones have ended, and two servers in one folder ruin it for good.
 */
export function natsCommand({ config, data }: Readonly<Record<'config' | 'data', string>>): string[] {
  const wait = `{ echo 'another server still has ${data}; waiting for its end'; flock 9; }`;
  return ['sh', '-c', `exec 9>>${data}/in-use; flock -n 9 || ${wait}; exec nats-server --config ${config}`];
}

/**
 * The whole configuration of our NATS server: TLS for everybody, a monitor for its own health check alone, JetStream on the
 * volume, users with what each may do. It holds no secret.
 */
export function natsConf({ accounts, nodes }: { accounts: readonly BusAccount[]; nodes: 1 | 3 }): string {
  const tls = `cert_file: "${natsPaths.certificate}", key_file: "${natsPaths.key}", ca_file: "${natsPaths.authority}", timeout: 5`;
  return `# Made by 'hivekeep deploy init'; changes by hand are lost.
server_name: $NATS_SERVER_NAME
listen: "0.0.0.0:4222"
http: "127.0.0.1:8222"
ping_interval: "5s"
ping_max: 2
tls { ${tls} }
jetstream { store_dir: "${natsPaths.data}", max_memory_store: 64MB, max_file_store: 2GB }
${nodes === 3 ? `cluster { name: hivekeep, listen: "0.0.0.0:6222", routes: ["nats://tasks.nats:6222"], tls { ${tls}, verify: true } }\n` : ''}${natsAccounts(accounts, nodes)}`;
}
