import { ControllerId, SwarmName } from '@hivekeep/contracts';
import { z } from 'zod';

const text = z.string().min(1);
const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'expected up to 31 of a-z, 0-9 and "-"');
const host = z.string().regex(/^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/, 'expected a host name or an IPv4 address');

/** What `hivekeep deploy init` was told; kept as `answers.json`, so that a later run needs only what changes. */
export const Answers = z
  .object({
    /** Name of our own stack. */
    stack: name.default('hivekeep'),
    image: text,
    natsImage: text.default('nats:2.12-alpine'),
    /** Label of the nodes that run NATS; its value is `true`. */
    natsLabel: text.default('hivekeep.nats'),
    /** 3: a cluster on three labelled nodes, every stream on each. */
    natsNodes: z.union([z.literal(1), z.literal(3)]).default(1),
    /** The swarm of the hub; it serves the applications that name none. */
    swarm: SwarmName.default('default'),
    controllerId: ControllerId.default('default'),
    appsetRepo: text.optional(),
    appsetRevision: text.default('main'),
    appsetPath: text.default('applications.yaml'),
    gitUsername: text.optional(),
    allowInsecureGit: z.array(host).default([]),
    prune: z.boolean().default(false),
    pruneVolumes: z.boolean().default(false),
    pruneVolumesAfter: text.default('24h'),
    interval: text.default('3m'),
    /** Names under which people reach the gateway, for its certificate. */
    gatewayNames: z.array(host).default([]),
    gatewayPort: z.number().int().min(1).max(65_535).default(8443),
    /** Names under which other swarms reach NATS, for its certificate. */
    hubNames: z.array(host).default([]),
    hubPort: z.number().int().min(1).max(65_535).default(4222),
    /** Other swarms, made by `hivekeep swarm add`. */
    swarms: z.array(SwarmName).default([]),
  })
  .refine((answers) => !answers.pruneVolumes || answers.prune, { message: '--prune-volumes needs --prune', path: ['pruneVolumes'] })
  .refine((answers) => !answers.swarms.includes(answers.swarm), { message: 'is the name of the hub swarm itself', path: ['swarms'] });
export type Answers = z.output<typeof Answers>;
