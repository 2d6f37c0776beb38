import { Command, Option } from 'commander';
import { type ClientFlags, swarmOption, withClientOptions, withExample } from '../command-options.ts';

type ApplicationFlags = ClientFlags & { reason?: string; wait?: boolean; timeout?: string; exitCode?: boolean };

/** `hivekeep app …`: everything about applications. Actions load when they are called. */
export function appCommand(): Command {
  const app = withExample(new Command('app').description('applications: list, inspect, sync, hold'), 'hivekeep app list');
  app.addCommand(
    withExample(
      withClientOptions(new Command('list').description('list all applications'))
        .addOption(swarmOption())
        .action(async (flags: ClientFlags) => (await import('./app-actions.ts')).list(flags)),
      'hivekeep app list -o json',
    ),
  );
  app.addCommand(
    onApplication('get', 'show one application with its releases and services', (actions, name, flags) => actions.get(name, flags)),
  );
  app.addCommand(
    onApplication('diff', 'show what the last plan would change; exit 1 when it would', (actions, name, flags) =>
      actions.diff(name, flags),
    ).option('--no-exit-code', 'exit 0 when there are differences too'),
  );
  app.addCommand(onApplication('history', 'show the recorded revisions', (actions, name, flags) => actions.history(name, flags)));
  app.addCommand(
    onApplication('pause', 'hold an application until it is resumed', (actions, name, flags) => actions.pause(name, flags)).option(
      '--reason <text>',
      'why, for others to read',
    ),
  );
  app.addCommand(onApplication('resume', 'let go of a paused application', (actions, name, flags) => actions.resume(name, flags)));
  app.addCommand(
    onApplication('refresh', 'look now, and do what the policy allows', (actions, name, flags) => actions.refresh(name, flags)),
  );
  app.addCommand(
    onApplication('sync', 'sync now', (actions, name, flags) => actions.sync(name, flags), 'hivekeep app sync shop --wait --timeout 10m')
      .option('--wait', 'follow it to its end: exit 0 healthy, 5 not in time, 6 failed')
      .addOption(new Option('--timeout <duration>', 'how long to wait').default('5m')),
  );
  return app;
}

type Actions = typeof import('./app-actions.ts');

function onApplication(
  verb: string,
  description: string,
  act: (actions: Actions, name: string, flags: ApplicationFlags) => Promise<void>,
  example = `hivekeep app ${verb} shop`,
): Command {
  const command = withClientOptions(new Command(verb).description(description).argument('<application>', 'its name'))
    .addOption(swarmOption())
    .action(async (name: string, flags: ApplicationFlags) => act(await import('./app-actions.ts'), name, flags));
  return withExample(command, example);
}
