import { Argument, Command, Option } from 'commander';
import type { StepContext } from './steps.ts';
import { sumTallies, type Tally } from './tally.ts';
import { type TierName, type TierOptions, tierNames, tierSteps } from './tiers.ts';

/** `hivekeep test [TIER…]`: runs the checkout's tests; progress on stderr, the closing `N passed, N failed` on stdout. */
export function testCommand(): Command {
  return new Command('test')
    .description("run this checkout's tests: every tier, or those named")
    .addArgument(new Argument('[tier...]').choices(tierNames))
    .option('--long', 'add long fuzz runs, soaks, all seeds, and the swarm tier on engines 26 and 28', false)
    .addOption(new Option('--engine <version>', "the swarm tier's engine (default: this machine's)").choices(['20', '26', '28']))
    .action(async (named: TierName[], options: Omit<TierOptions, 'demo'>, command: Command) => {
      const tiers = tierNames.filter((tier) => named.length === 0 || named.includes(tier));
      const demo = command.parent?.commands.some((each) => each.name() === 'demo') ?? false;
      process.exitCode = await runTiers(tiers, { ...options, demo });
    });
}

/** Runs tiers one after the other and gives the exit code. A signal ends what runs, takes the lab down and then counts. */
async function runTiers(tiers: readonly TierName[], options: TierOptions): Promise<number> {
  const stop = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    stoppedBy ??= signal;
    stop.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    const total = await tally(tiers, options, { signal: stop.signal, say });
    for (const name of new Set(total.notRun)) say(`not run: ${name}`);
    for (const line of total.failed) say(`FAILED: ${line}`);
    if (stoppedBy) say(`stopped by ${stoppedBy}; what did not run is not counted`);
    process.stdout.write(`${total.passed} passed, ${total.failed.length} failed\n`);
    return total.failed.length === 0 && !stoppedBy ? 0 : 1;
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

async function tally(tiers: readonly TierName[], options: TierOptions, context: StepContext): Promise<Tally> {
  const tallies: Tally[] = [];
  for (const tier of tiers) {
    const began = performance.now();
    const steps = tierSteps(tier, options);
    if (steps.length > 0) context.say(`tier ${tier} ...`);
    const ofTier: Tally[] = [];
    for (const step of steps) if (!context.signal.aborted) ofTier.push(await step(context));
    const { passed, failed, notRun } = sumTallies(ofTier);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    context.say(
      steps.length === 0
        ? `tier ${tier}: nothing there`
        : `tier ${tier}: ${passed} passed, ${failed.length} failed, ${notRun.length} not run, ${seconds} s`,
    );
    tallies.push(...ofTier);
  }
  return sumTallies(tallies);
}

function say(line: string): void {
  process.stderr.write(`hivekeep test: ${line}\n`);
}
