import { Command, Option } from 'commander';
import { withExample } from '../command-options.ts';

/** `hivekeep compose …`: what compose files become, and what is wrong with them. Neither needs a swarm. */
export function composeCommand(): Command {
  const compose = withExample(new Command('compose').description('compose files'), 'hivekeep compose convert -f compose.yml --stack demo');
  const convert = new Command('convert')
    .description('print the swarm objects of compose files; applies no policy')
    .option(...fileOption)
    .option('--stack <name>', 'name of the stack')
    .option(...environmentOption)
    .option('--externals <file>', 'JSON of what the swarm has already; nothing when absent')
    .addOption(dialectOption('docker'))
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
  const lint = new Command('lint')
    .description('say what is wrong with compose files, and what an engine would refuse')
    .option(...fileOption)
    .option('--stack <name>', 'name of the stack, which names of objects begin with', 'stack')
    .option(...environmentOption)
    .addOption(dialectOption('auto'))
    .option('--strict', 'exit 1 for warnings, too', false)
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['text', 'json']).default('text'))
    .action(async (flags) => (await import('./compose-lint-action.ts')).lint(flags));
  compose.addCommand(
    withExample(lint, 'hivekeep compose lint -f compose.yml', 'hivekeep compose lint -f compose.yml --dialect spec --strict'),
  );
  return compose;
}

const fileOption = [
  '-f, --file <file>',
  'a compose file, - for standard input; several are merged in order',
  (file: string, sofar: string[] = []) => [...sofar, file],
] as const;
const environmentOption = ['--env-json <file>', 'JSON object that interpolation sees; nothing else is seen'] as const;

function dialectOption(usual: string): Option {
  return new Option('--dialect <dialect>', 'how the files are read').choices(['auto', 'docker', 'spec']).default(usual);
}
