import { Command, Option } from 'commander';
import { withExample } from '../command-options.ts';

/** `hivekeep compose convert`: compose files to swarm objects, nothing else. */
export function composeCommand(): Command {
  const compose = withExample(new Command('compose').description('compose files'), 'hivekeep compose convert -f compose.yml --stack demo');
  const convert = new Command('convert')
    .description('print the swarm objects of compose files; applies no policy')
    .option('-f, --file <file>', 'a compose file; several are merged in order', (file: string, sofar: string[] = []) => [...sofar, file])
    .option('--stack <name>', 'name of the stack')
    .option('--env-json <file>', 'JSON object that interpolation sees; nothing else is seen')
    .option('--externals <file>', 'JSON of what the swarm has already; nothing when absent')
    .addOption(new Option('--dialect <dialect>', 'how the files are read').choices(['auto', 'docker', 'spec']).default('docker'))
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['json', 'yaml']).default('json'))
    .option('--batch <cases>', 'convert every case folder in here')
    .option('--out <directory>', 'where the batch writes CASE.json')
    .action(async (flags) => (await import('./compose-action.ts')).convert(flags));
  compose.addCommand(
    withExample(
      convert,
      'hivekeep compose convert -f compose.yml -f prod.yml --stack demo --env-json env.json',
      'hivekeep compose convert --batch cases --out results',
    ),
  );
  return compose;
}
