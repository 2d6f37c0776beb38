import { Command } from 'commander';
import { benchCommand } from './bench/bench-command.ts';
import { withExample } from './command-options.ts';
import { appCommand } from './commands/app.ts';
import { chartCommand } from './commands/chart.ts';
import { completionCommand } from './commands/completion.ts';
import { composeCommand } from './commands/compose.ts';
import { deployCommand, swarmCommand } from './commands/deploy.ts';
import { devCommand } from './commands/dev.ts';
import { healthcheckCommand } from './commands/healthcheck.ts';
import { planCommand, validateCommand } from './commands/offline.ts';
import { freezeCommands, pruneCommand } from './commands/prune.ts';
import { serviceCommand, upCommand } from './commands/service.ts';
import { statusCommands } from './commands/status.ts';
import { demoCommand } from './demo/demo-command.ts';
import { labCommand } from './lab.ts';
import { testCommand } from './test/test-command.ts';
import { versionCommand } from './version.ts';

/** Every command. Building it loads no service, no schema and no client: actions import what they need. */
export function buildProgram(): Command {
  const program = new Command('hivekeep').description('Keeps Docker Swarms the way Git says.').enablePositionalOptions();
  withExample(program, 'hivekeep up --home --config applications.yaml', 'hivekeep app sync shop --wait');
  const commands = [
    upCommand(),
    serviceCommand(),
    appCommand(),
    ...statusCommands(),
    pruneCommand(),
    ...freezeCommands(),
    validateCommand(),
    planCommand(),
    composeCommand(),
    chartCommand(),
    deployCommand(),
    swarmCommand(),
    healthcheckCommand(),
    demoCommand(),
    benchCommand(),
    labCommand(),
    testCommand(),
    versionCommand(),
    completionCommand(),
  ];
  for (const command of commands) program.addCommand(command);
  return program.addCommand(devCommand(), { hidden: true });
}
