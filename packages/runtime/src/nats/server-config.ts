import { type BusUser, busPermissions, busUserName, inboxPrefix } from './permissions.ts';

/** A user and the public half of its nkey (`U…`). */
export interface BusAccount {
  readonly user: BusUser;
  readonly publicKey: string;
}

/** Bytes one message may have: views and builds of thousands of services fit, once compressed. */
const MAX_PAYLOAD = 8 * 1024 * 1024;
const GIB = 1024 * 1024 * 1024;

/**
 * The part of a NATS server's configuration that says who may do what: one account with its limits, a user for each service and
 * swarm. It holds public keys only. Understood by servers from 2.9 on. `copies`: of each stream; all of them count against the limits.
 */
export function natsAccounts(accounts: readonly BusAccount[], copies = 1): string {
  return `max_payload: ${MAX_PAYLOAD}
max_connections: 4096
max_subscriptions: 1024
max_control_line: 8192
max_pending: ${8 * MAX_PAYLOAD}
write_deadline: "10s"
authorization { timeout: 5 }
accounts {
  HIVEKEEP {
    jetstream { max_memory: ${(copies * GIB) / 16}, max_file: ${copies * 2 * GIB}, max_streams: 4, max_consumers: 0 }
    users: [
${accounts.map(userEntry).join('\n')}
    ]
  }
  SYS {}
}
system_account: SYS
`;
}

function userEntry({ user, publicKey }: BusAccount): string {
  const { publish, subscribe, answersWithinMs } = busPermissions(user);
  const answers =
    answersWithinMs === undefined ? '' : `\n        allow_responses: { max: 1, expires: "${Math.ceil(answersWithinMs / 1000)}s" }`;
  return `      # ${busUserName(user)}, inbox prefix ${inboxPrefix(user)}
      { nkey: ${publicKey}, permissions: {
        publish: ${subjects(publish)}
        subscribe: ${subjects(subscribe)}${answers}
      } }`;
}

function subjects(list: readonly string[]): string {
  return `[${[...new Set(list)].map((subject) => `"${subject}"`).join(', ')}]`;
}
