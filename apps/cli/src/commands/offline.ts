import { Command } from 'commander';
import { outputOption, withExample } from '../command-options.ts';
import type { PlanFlags } from './plan-action.ts';
import type { ValidateFlags } from './validate-action.ts';

const several = (value: string, sofar: string[] = []): string[] => [...sofar, value];

/** `hivekeep validate`: an app set checked without server or swarm. */
export function validateCommand(): Command {
  const command = new Command('validate')
    .description('check an app set file; exit 1 with every problem when it is wrong')
    .requiredOption('--file <file>', 'the app set')
    .option('--allow-local-git', 'accept repositories that are absolute paths')
    .option('--allow-insecure-git <host>', 'accept plain http to this host; may be repeated', several)
    .addOption(outputOption())
    .action(async (flags: ValidateFlags) => (await import('./validate-action.ts')).validate(flags));
  return withExample(command, 'hivekeep validate --file applications.yaml');
}

/** `hivekeep plan`: what applications render to, without server or swarm. */
export function planCommand(): Command {
  const command = new Command('plan')
    .description('render and plan applications from a local repository; exit 1 when one is refused')
    .requiredOption('--file <file>', 'the app set')
    .requiredOption('--repo <directory>', 'the repository its applications read')
    .option('--commit <sha>', "which commit, instead of each application's revision")
    .option('--app <name>', 'only this application; may be repeated', several)
    .option('--allow-chart-host <host>', 'allow a chart repository there a private address and plain http; may be repeated', several)
    .addOption(outputOption())
    .action(async (flags: PlanFlags) => (await import('./plan-action.ts')).plan(flags));
  return withExample(command, 'hivekeep plan --file applications.yaml --repo . --app shop');
}
