import { Command, Option } from 'commander';
import { type ClientFlags, swarmOption, withClientOptions, withExample } from '../command-options.ts';

type ApplicationFlags = ClientFlags & { reason?: string; wait?: boolean; timeout?: string; exitCode?: boolean; to?: string };

/** `hivekeep app …`: everything about applications. Actions load when they are called. */
export function appCommand(): Command {
  const app = withExample(new Command('app').description('applications: list, inspect, sync, hold, roll back'), 'hivekeep app list');
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
  app.addCommand(onApplication('resume', 'let go of a held application', (actions, name, flags) => actions.resume(name, flags)));
  app.addCommand(
    onApplication('refresh', 'look now, and do what the policy allows', (actions, name, flags) => actions.refresh(name, flags)),
  );
  app.addCommand(
    onApplication('sync', 'sync now', (actions, name, flags) => actions.sync(name, flags), 'hivekeep app sync shop --wait --timeout 10m')
      .option('--wait', WAIT)
      .addOption(timeoutOption()),
  );
  app.addCommand(
    withExample(
      withClientOptions(
        new Command('rollback')
          .description('go back to a recorded revision, and hold the application there')
          .argument('<application>', 'its name')
          .argument('[release]', 'which of its releases, where it has several'),
      )
        .addOption(swarmOption())
        .option('--to <revision>', 'the revision to go back to; the one before what is deployed when absent')
        .option('--wait', WAIT)
        .addOption(timeoutOption())
        .action(async (name: string, release: string | undefined, flags: ApplicationFlags) =>
          (await import('./app-actions.ts')).rollback(name, release, flags),
        ),
      'hivekeep app history shop',
      'hivekeep app rollback shop --to 3 --wait',
      'hivekeep app resume shop',
    ),
  );
  return app;
}

const WAIT = 'follow it to its end: exit 0 healthy, 5 not in time, 6 failed';
const timeoutOption = () => new Option('--timeout <duration>', 'how long to wait').default('5m');

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
