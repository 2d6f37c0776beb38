import { Command } from 'commander';
import { type ClientFlags, swarmOption, withClientOptions, withExample } from '../command-options.ts';

type Actions = typeof import('./status-actions.ts');

const lazily =
  (act: (actions: Actions, flags: ClientFlags) => Promise<void>) =>
  async (flags: ClientFlags): Promise<void> =>
    act(await import('./status-actions.ts'), flags);

/** `hivekeep status`, `capabilities` and `events`. */
export function statusCommands(): Command[] {
  const status = withClientOptions(
    new Command('status').description('show the app set and the swarms; exit 1 when a swarm is not ok'),
  ).action(lazily((actions, flags) => actions.status(flags)));
  const capabilities = withClientOptions(new Command('capabilities').description('show what this installation can do')).action(
    lazily((actions, flags) => actions.capabilities(flags)),
  );
  const events = withClientOptions(new Command('events').description('follow events until interrupted'))
    .option('--app <name>', 'only this application')
    .addOption(swarmOption())
    .option('--after <id>', 'begin after this event')
    .action(async (flags: ClientFlags) => (await import('./event-actions.ts')).events(flags));
  return [
    withExample(status, 'hivekeep status'),
    withExample(capabilities, 'hivekeep capabilities -o yaml'),
    withExample(events, 'hivekeep events --app shop'),
  ];
}
