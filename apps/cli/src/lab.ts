import { Command, InvalidArgumentError, Option } from 'commander';
import { type LabOptions, runLab } from './lab/lab-script.ts';

/** What can be done to one node, and how the help says it. */
const nodeCommands = {
  cut: 'take the link of a node down: a network partition',
  heal: 'bring its link up again',
  pause: "stop a node's daemon (SIGSTOP): its socket takes connections and never answers",
  resume: 'let the daemon go on',
  freeze: 'stop the daemon and all containers of a node',
  thaw: 'let all of it go on',
  crash: 'kill the daemon of a node; its containers go on',
  kill: 'power failure: kill everything on a node at once',
  start: 'start what crash or kill ended, with the state it had',
} as const;

/** `hivekeep lab …`: a real swarm of several engines on this machine, for tests and demonstrations. Needs root and Linux. */
export function labCommand(): Command {
  const lab = new Command('lab')
    .description('several real Docker engines on this machine, joined into a swarm (Linux, root)')
    .enablePositionalOptions(); // `exec` hands everything after the node on, options too
  const sub = (name: string, description: string) =>
    lab.command(name).description(description).option('--name <name>', 'which lab; one of its own for each checkout by default');

  sub('up', 'bring the lab up, or add nodes to it')
    .option('--nodes <count>', 'how many nodes', nodeNumber, 3)
    .option('--managers <count>', 'how many of them are managers (default: 3, or 1 with fewer nodes)', nodeNumber)
    .addOption(new Option('--engine <version>', "the engine's major version (default: this machine's)").choices(['20', '26', '28']))
    .action(async (options: LabOptions & { nodes: number; managers?: number }) => {
      const managers = options.managers === undefined ? [] : [String(options.managers)];
      await exitWith(['up', String(options.nodes), ...managers], options);
      if (process.exitCode === 0) await exitWith(['status'], options);
    });
  sub('down', 'end every process of the lab and delete its files').action((options: LabOptions) => exitWith(['down'], options));
  sub('status', 'show its nodes').action((options: LabOptions) => exitWith(['status'], options));
  sub('env', "print a node's DOCKER_HOST: export $(hivekeep lab env 1)")
    .argument('[node]', 'counts from 1', nodeNumber, 1)
    .action((node: number, options: LabOptions) => exitWith(['env', String(node)], options));
  sub('exec', 'run a command on a node, or with "sw" on the network between them')
    .argument('<node>', 'from 1, or sw')
    .argument('<command...>')
    .passThroughOptions()
    .action((node: string, command: string[], options: LabOptions) => exitWith(['exec', node, ...command], options));
  sub('load', 'load an image (docker save) on every node, or on those given')
    .argument('<file>')
    .argument('[nodes...]')
    .action((file: string, nodes: string[], options: LabOptions) => exitWith(['load', file, ...nodes], options));
  for (const [name, description] of Object.entries(nodeCommands)) {
    sub(name, description)
      .argument('<node>', 'counts from 1', nodeNumber)
      .action((node: number, options: LabOptions) => exitWith([name, String(node)], options));
  }
  return lab;
}

function nodeNumber(text: string): number {
  if (!/^[1-9][0-9]?$/.test(text)) throw new InvalidArgumentError('expected a number from 1 to 99.');
  return Number(text);
}

async function exitWith(args: readonly string[], options: LabOptions): Promise<void> {
  process.exitCode = await runLab(args, options);
}
