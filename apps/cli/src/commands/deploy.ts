import { Command, InvalidArgumentError, Option } from 'commander';
import { withClientOptions, withExample } from '../command-options.ts';
import { EXIT } from '../exit-status.ts';
import { loadBundle } from '../load-bundle.ts';

type Bundle = typeof import('../deploy/run-deploy.ts');
const bundle = async (): Promise<Bundle> => (await loadBundle('deploy')) as Bundle; // that very module, bundled

const several = (value: string, sofar: string[] = []): string[] => [...sofar, value];

/** `hivekeep deploy init|check`. */
export function deployCommand(): Command {
  const deploy = withExample(
    new Command('deploy').description('install the services as a stack on a swarm'),
    'hivekeep deploy check ./hive',
  );
  const check = new Command('check')
    .description('say what is missing of the installation on a swarm; exit 1 when something is')
    .argument('<folder>')
    .option('--docker-host <address>', 'engine of a manager (default: DOCKER_HOST)')
    .action(async (folder: string, flags: { dockerHost?: string }) => {
      if (!(await (await bundle()).check(folder, flags))) process.exitCode = EXIT.differs;
    });
  deploy.addCommand(
    withExample(initCommand(), 'hivekeep deploy init ./hive --image hivekeep:0.1.0 --appset-repo https://git.example/set.git'),
  );
  return deploy.addCommand(withExample(check, 'hivekeep deploy check ./hive'));
}

/** Defaults stay with the answers' schema: what is not given is as it was answered before. */
function initCommand(): Command {
  return new Command('init')
    .description('write secrets, keys, NATS users and stack files into a folder; run again, it keeps secrets and answers')
    .argument('<folder>')
    .option('--image <reference>', 'image of our services; needed the first time')
    .option('--stack <name>', 'name of our stack (default hivekeep)')
    .option('--swarm <name>', 'name of this swarm (default default)')
    .option('--controller-id <id>', 'id in the owner stamps (default default)')
    .option('--appset-repo <url>', 'app set in Git: the repository')
    .option('--appset-revision <revision>', 'app set in Git: branch, tag or commit (default main)')
    .option('--appset-path <path>', 'app set in Git: the file in it (default applications.yaml)')
    .option('--applications <file>', 'app set as a file that is taken over')
    .option('--git-username <name>', 'user for https repositories')
    .option('--git-token-file <file>', 'file with the token for https repositories; it is taken over')
    .option('--allow-insecure-git <host>', 'allow plain http to this Git host; may be repeated', several)
    .option('--prune', 'remove the stacks of applications that left the app set')
    .option('--prune-volumes', 'remove their volumes too')
    .option('--prune-volumes-after <duration>', 'how long the volumes of a removed stack are kept (default 24h)')
    .option('--interval <duration>', 'how often applications and the app set are looked at (default 3m)')
    .addOption(new Option('--gateway-name <host>', 'a name of the gateway, for its certificate; may be repeated').argParser(several))
    .option('--gateway-port <port>', 'where the gateway is published (default 8443)', port)
    .addOption(new Option('--hub-name <host>', 'a name under which other swarms reach NATS; may be repeated').argParser(several))
    .option('--hub-port <port>', 'where NATS is published for them (default 4222)', port)
    .option('--nats-image <reference>', 'image of NATS (default nats:2.12-alpine)')
    .addOption(new Option('--nats-nodes <count>', 'nodes with NATS: 1, or a cluster of 3 (default 1)').choices(['1', '3']))
    .action(async (folder: string, flags: Record<string, unknown>) => {
      const { gatewayName, hubName, natsNodes, ...rest } = flags;
      const given = {
        ...rest,
        ...(gatewayName !== undefined && { gatewayNames: gatewayName }),
        ...(hubName !== undefined && { hubNames: hubName }),
        ...(natsNodes !== undefined && { natsNodes: Number(natsNodes) }),
      };
      await (await bundle()).init(folder, given as Parameters<Bundle['init']>[1]); // the schema of the answers judges them
    });
}

/** `hivekeep swarm list|add`. */
export function swarmCommand(): Command {
  const swarm = withExample(new Command('swarm').description('the swarms of this installation'), 'hivekeep swarm list');
  const list = withClientOptions(new Command('list').description('list the swarms a gateway knows; exit 1 when one is not ok')).action(
    async (flags) => (await import('./status-actions.ts')).swarms(flags),
  );
  const add = new Command('add')
    .description('make the credentials of another swarm, and say what to run there')
    .argument('<name>')
    .requiredOption('--folder <folder>', 'the installation, as `deploy init` made it')
    .addOption(new Option('--hub-name <host>', 'a name under which it reaches NATS; may be repeated').argParser(several))
    .action(async (name: string, { folder, hubName }: { folder: string; hubName?: string[] }) =>
      (await bundle()).addSwarm(folder, name, hubName === undefined ? {} : { hubNames: hubName }),
    );
  swarm.addCommand(withExample(list, 'hivekeep swarm list'));
  return swarm.addCommand(withExample(add, 'hivekeep swarm add berlin --folder ./hive --hub-name hub.example.net'));
}

function port(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('expected a port from 1 to 65535.');
  return Number(text);
}
