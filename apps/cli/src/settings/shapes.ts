import { ControllerId, DEFAULT_SWARM, SwarmName } from '@hivekeep/contracts';
import { z } from 'zod';
import { duration } from './duration.ts';

/**
 * Every setting of every service, by its name in the program. The flag is its kebab-case form, the variable
 * `HIVEKEEP_` and its upper-case form. Metadata: `metavar` names the value in help; `env` marks what no argument may carry.
 */
const flag = (text: string) => z.boolean().default(false).describe(text);
const text = (metavar: string, description: string) => z.string().min(1).optional().describe(description).meta({ metavar });
const list = (metavar: string, description: string) =>
  z.array(z.string().min(1)).max(100).default([]).describe(description).meta({ metavar });
const secret = (description: string) => z.string().min(1).optional().describe(description).meta({ env: true });

export const logShape = {
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('How much is logged.').meta({ metavar: 'level' }),
  logFormat: z.enum(['text', 'json']).default('text').describe('How it is logged, on standard error.').meta({ metavar: 'format' }),
};

const address = z.string().regex(/^(\[[0-9a-fA-F:]+\]|[^:]*):\d{1,5}$/, 'expected HOST:PORT or :PORT');

export const monitorShape = {
  monitorListen: address
    .optional()
    .describe('Address of `/healthz`, `/readyz` and `/metrics`; not served when absent. Never publish it.')
    .meta({ metavar: 'address' }),
};

export const busShape = {
  nats: z
    .array(z.string().regex(/^(nats|tls):\/\/[^/@\s]+$/, 'expected nats://HOST:PORT or tls://HOST:PORT, without user info'))
    .min(1, 'give at least one NATS server: --nats nats://host:4222')
    .max(20)
    .prefault([])
    .describe('NATS server, `nats://host:port` or `tls://host:port`; may be repeated.')
    .meta({ metavar: 'url' }),
  natsCreds: text('file', 'NATS credentials file.'),
  natsSeedFile: text('file', 'File with the seed of a NATS nkey, which names the user.'),
  natsUser: text('name', 'NATS user; needs `nats-password-file`.'),
  natsPasswordFile: text('file', 'File with the password of `nats-user`.'),
  natsCa: text('file', 'PEM file of the authority that signed the NATS server certificate.'),
  natsCert: text('file', 'PEM client certificate for NATS.'),
  natsKey: text('file', 'PEM key of `nats-cert`.'),
  natsReplicas: z
    .enum(['1', '3'])
    .default('1')
    .describe('How many servers of a NATS cluster store each stream; counts when a stream is made.')
    .meta({ metavar: 'count' }),
  natsInboxPrefix: text('prefix', "Prefix of this user's reply subjects, as its permissions say."),
};

export const swarmShape = {
  swarm: SwarmName.default(DEFAULT_SWARM).describe('Name of the swarm this process serves.').meta({ metavar: 'name' }),
  dockerHost: text('address', "The engine: `unix:///path` or `tcp://host:port`. Default: `DOCKER_HOST`, then Docker's own socket."),
};

export const sourceShape = {
  config: text('file', 'App set in a mounted file; `/etc/hivekeep/applications.yaml` when no other app set is given.'),
  appsetRepo: text('url', 'App set in Git: the repository; needs `appset-revision` and `appset-path`.'),
  appsetRevision: text('revision', 'App set in Git: branch, tag or commit.'),
  appsetPath: text('path', 'App set in Git or in a directory: the file in it; `applications.yaml` in a directory.'),
  appsetDir: text('directory', 'App set in a directory that a sidecar keeps current by rename.'),
  data: z
    .string()
    .min(1)
    .default('/var/lib/hivekeep')
    .describe('Folder for mirrors and caches; it may be lost.')
    .meta({ metavar: 'directory' }),
  allowLocalGit: flag('Allow repositories that are absolute paths on this machine.'),
  allowInsecureGit: list('host', 'Allow plain http to this Git host; may be repeated.'),
  gitCredentials: text('file', 'YAML file naming the credential files of each Git host.'),
  gitUsername: text('name', 'User for https repositories that the credentials file does not name.'),
  gitTokenFile: text('file', 'File with the token of `git-username`.'),
  gitToken: secret('The token of `git-username` itself.'),
  allowChartHost: list('host', 'Allow a chart repository on this host (or host:port) a private address and plain http; may be repeated.'),
};

export const reconcilerShape = {
  home: flag('Serve the applications that name no swarm.'),
  controllerId: ControllerId.default('default')
    .describe('Id in the owner stamps; one controller per id and swarm.')
    .meta({ metavar: 'id' }),
  takeOver: flag('Take the lease although swarm name, home or app set differ from what it was made with.'),
  reconcileInterval: duration('3m').describe('How often an application is looked at when nothing happens.'),
  appsetInterval: duration('3m').describe(
    'How often the app set is asked for; on a new commit, what is built from its repository is looked at at once.',
  ),
  prune: flag('Remove the stacks of applications that left the app set.'),
  pruneVolumes: flag('Remove their volumes too; needs `prune`.'),
  pruneVolumesAfter: duration('24h', 'zero allowed').describe('How long the volumes of a removed stack are kept.'),
  registryAuthDir: z
    .string()
    .min(1)
    .default('/run/secrets')
    .describe('Folder of registry credential files, by the name an application gives.')
    .meta({ metavar: 'directory' }),
};

export const gatewayShape = {
  listen: address.default(':8080').describe('Address of the HTTP API.').meta({ metavar: 'address' }),
  adminTokenFile: text('file', 'File with the admin bearer token; read again when it changes.'),
  adminToken: secret('The admin bearer token itself.'),
  tlsCert: text('file', 'PEM certificate chain; needs `tls-key`.'),
  tlsKey: text('file', 'PEM private key; needs `tls-cert`.'),
};

export const upShape = {
  ...sourceShape,
  ...swarmShape,
  ...reconcilerShape,
  home: z.boolean().default(true).describe('Serve the applications that name no swarm; `up` always does.'),
  ...gatewayShape,
  node: list('name=address', "Another node's own engine, `NAME=DOCKER_HOST`, so that its volumes can be removed; may be repeated."),
  ...monitorShape,
  ...logShape,
};

const homeSwarm = SwarmName.optional()
  .describe('The only swarm that may take applications without a destination; any that says it is home when absent.')
  .meta({ metavar: 'name' });

/** The settings of each thing that can be started. */
export const settings = {
  up: z.object(upShape),
  source: z.object({ ...sourceShape, homeSwarm, ...busShape, ...monitorShape, ...logShape }),
  reconciler: z.object({ ...swarmShape, ...reconcilerShape, ...busShape, ...monitorShape, ...logShape }),
  'node-agent': z.object({ ...swarmShape, ...busShape, ...monitorShape, ...logShape }),
  gateway: z.object({ ...gatewayShape, appsetInterval: reconcilerShape.appsetInterval, ...busShape, ...monitorShape, ...logShape }),
};
export type SettingsName = keyof typeof settings;
export type SettingsOf<N extends SettingsName> = z.output<(typeof settings)[N]>;
