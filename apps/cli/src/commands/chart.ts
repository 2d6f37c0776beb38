import { Argument, Command, Option } from 'commander';
import type { ChartPart } from '../chart/run-chart.ts';
import { outputOption, withExample } from '../command-options.ts';
import { loadBundle } from '../load-bundle.ts';

type Bundle = typeof import('../chart/run-chart.ts');
const bundle = async (): Promise<Bundle> => (await loadBundle('chart')) as Bundle; // that very module, bundled

const several = (value: string, sofar: string[] = []): string[] => [...sofar, value];
const parts: readonly ChartPart[] = ['chart', 'values', 'schema', 'requirements', 'readme'];

/** `hivekeep chart …`: charts of this machine, without server or swarm. */
export function chartCommand(): Command {
  const chart = withExample(
    new Command('chart').description('charts: render, check, look into and pack them'),
    'hivekeep chart lint charts/web',
  );
  const commands = [templateCommand(), lintCommand(), showCommand(), valuesCommand(), packageCommand()];
  for (const command of commands) chart.addCommand(command);
  return chart;
}

const ofChart = (name: string, description: string) =>
  new Command(name).description(description).argument('<chart>', 'the folder of a chart, or its .tgz');

function withValues(command: Command): Command {
  return command
    .option('-f, --file <file>', 'values over those of the chart; may be repeated, a later file wins', several)
    .option('--set <path=value,…>', 'values over the files; may be repeated', several)
    .option('--set-file <path=file>', 'the text of a file as a value, over all; may be repeated', several);
}

function templateCommand(): Command {
  const command = withValues(ofChart('template', 'print the manifest'))
    .option('--release <name>', "name of the release (default: the chart's)")
    .action(async (path: string, flags) => (await bundle()).template(path, flags));
  return withExample(command, 'hivekeep chart template charts/web --release shop -f prod.yaml --set replicas=3');
}

function lintCommand(): Command {
  const command = withValues(ofChart('lint', 'print everything that is wrong or odd; exit 1 when something is wrong'))
    .option('--for-version <version>', 'the engine that the chart is checked for')
    .addOption(outputOption())
    .action(async (path: string, flags) => (await bundle()).lint(path, flags));
  return withExample(command, 'hivekeep chart lint charts/web -f prod.yaml');
}

function showCommand(): Command {
  const command = ofChart('show', 'print a file of the chart as it is')
    .addArgument(new Argument('[part]', 'which one').choices(parts).default('chart'))
    .action(async (path: string, part: ChartPart) => (await bundle()).show(path, part));
  return withExample(command, 'hivekeep chart show web-1.0.0.tgz readme');
}

function valuesCommand(): Command {
  const command = withValues(ofChart('values', 'print the values that templates see'))
    .addOption(new Option('-o, --output <format>', 'how to print').choices(['yaml', 'json']).default('yaml'))
    .action(async (path: string, flags) => (await bundle()).values(path, flags));
  return withExample(command, 'hivekeep chart values charts/web -f prod.yaml');
}

function packageCommand(): Command {
  const command = ofChart('package', 'pack a chart as NAME-VERSION.tgz and print its digest')
    .option('--out <directory>', 'where to write it', '.')
    .action(async (path: string, flags: { out: string }) => (await bundle()).packageChart(path, flags));
  return withExample(command, 'hivekeep chart package charts/web --out dist');
}
