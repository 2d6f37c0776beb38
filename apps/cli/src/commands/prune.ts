import { Command } from 'commander';
import { type ClientFlags, swarmOption, withClientOptions, withExample } from '../command-options.ts';

type Actions = typeof import('./prune-actions.ts');
type PruneFlags = ClientFlags & { release?: string[]; reason?: string };

const onSwarm = (command: Command): Command => withClientOptions(command).addOption(swarmOption());
const actions = (): Promise<Actions> => import('./prune-actions.ts');

/** `hivekeep prune list|approve|forget-node`. */
export function pruneCommand(): Command {
  const prune = withExample(new Command('prune').description('what left the app set, and what waits for approval'), 'hivekeep prune list');
  prune.addCommand(
    withExample(
      onSwarm(new Command('list').description('list sweeps and held batches')).action(async (flags: PruneFlags) =>
        (await actions()).list(flags),
      ),
      'hivekeep prune list --swarm berlin',
    ),
  );
  prune.addCommand(
    withExample(
      onSwarm(new Command('approve').description('allow a held batch of deletions').argument('<id>', 'of `prune list`'))
        .option('--release <name>', 'only this release; may be repeated', (name: string, sofar: string[] = []) => [...sofar, name])
        .action(async (id: string, flags: PruneFlags) => (await actions()).approve(id, flags)),
      'hivekeep prune approve 7f3a --release shop',
    ),
  );
  prune.addCommand(
    withExample(
      onSwarm(new Command('forget-node').description('give up the volumes of a node for good').argument('<node>', 'its id')).action(
        async (node: string, flags: PruneFlags) => (await actions()).forgetNode(node, flags),
      ),
      'hivekeep prune forget-node k2x8w9d0p1q2r3s4t5u6v7w8x',
    ),
  );
  return prune;
}

/** `hivekeep freeze` and `unfreeze`. */
export function freezeCommands(): Command[] {
  const freeze = onSwarm(new Command('freeze').description('stop all writes to a swarm'))
    .option('--reason <text>', 'why, for others to read')
    .action(async (flags: PruneFlags) => (await actions()).freeze(flags));
  const unfreeze = onSwarm(new Command('unfreeze').description('allow writes to a swarm again')).action(async (flags: PruneFlags) =>
    (await actions()).unfreeze(flags),
  );
  return [withExample(freeze, 'hivekeep freeze --reason "engine upgrade"'), withExample(unfreeze, 'hivekeep unfreeze')];
}
