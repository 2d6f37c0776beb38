import { busUserName } from '@hivekeep/runtime';
import { Answers } from './answers.ts';
import { busUsers } from './key-material.ts';
import { natsConf } from './nats-conf.ts';
import { type FileObject, gatewayOverlay, hubOverlay, hubStack, remoteStack, type StackObjects } from './stack-file.ts';
import { stackText } from './stack-text.ts';

const SWARM = 'berlin';

/** What `deploy init` makes, for one set of answers and without keys: for people to read, as `deploy/example`. */
export function exampleFiles(): Record<string, string> {
  const answers = Answers.parse({
    image: 'hivekeep:0.1.0',
    appsetRepo: 'https://git.example/set.git',
    prune: true,
    gatewayNames: ['hive.example.net'],
    hubNames: ['hub.example.net'],
    swarms: [SWARM],
  });
  const users = busUsers(answers);
  const seeds = (remote: boolean) =>
    users.filter((user) => ('swarm' in user && user.swarm === SWARM) === remote).map((user) => `seed-${busUserName(user)}`);
  const objects = (secrets: readonly string[], configs: Readonly<Record<string, string>>): StackObjects => ({
    secrets: Object.fromEntries(secrets.map((key) => [key, example(key, `secrets/${key}`)])),
    configs: Object.fromEntries(Object.entries(configs).map(([key, file]) => [key, example(key, file)])),
  });
  const hub = objects(['nats-key', 'admin-token', ...seeds(false)], { 'nats-conf': 'nats.conf', 'nats-crt': 'nats.crt', ca: 'ca.crt' });
  return {
    'stack.yml': stackText(hubStack(answers, hub)),
    'gateway.yml': stackText(gatewayOverlay(answers, objects(['gateway-key'], { 'gateway-crt': 'gateway.crt' }))),
    'hub.yml': stackText(hubOverlay(answers)),
    [`swarms/${SWARM}/stack.yml`]: stackText(
      remoteStack(answers, SWARM, ['tls://hub.example.net:4222'], objects(seeds(true), { ca: 'ca.crt' })),
    ),
    'nats.conf': natsConf({ accounts: users.map((user) => ({ user, publicKey: `PUBLIC-KEY-OF-${busUserName(user)}` })), nodes: 1 }),
  };
}

function example(key: string, file: string): FileObject {
  return { file: `./${file}`, name: `hivekeep-${key}-0123456789ab` };
}
