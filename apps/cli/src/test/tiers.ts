import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { checkout } from '../checkout.ts';
import { labDown, labUp } from '../lab/lab-script.ts';
import { commandStep, type Step, vitestStep } from './steps.ts';
import { sumTallies, type Tally } from './tally.ts';

export interface TierOptions {
  /** Long fuzz runs, soaks, every seed and every engine. */
  long: boolean;
  /** The engine of the swarm tier; this machine's when absent. */
  engine: string | undefined;
  /** Whether this build has the demo. */
  demo: boolean;
}

/** The tiers in the order they run: what is fast and finds most comes first. */
export const tierNames = ['check', 'unit', 'model', 'bus', 'conformance', 'fuzz', 'swarm', 'stack', 'demo'] as const;
export type TierName = (typeof tierNames)[number];

const minutes = (count: number) => count * 60_000;

/** The steps of a tier; none when the checkout has nothing for it yet. */
export function tierSteps(tier: TierName, options: TierOptions): Step[] {
  const env = options.long ? { HIVEKEEP_TEST_LONG: '1' } : {};
  switch (tier) {
    case 'check':
      return [
        commandStep('format and lint (biome)', 'biome', ['check', '--error-on-warnings', '.']),
        commandStep('types (tsc)', 'tsc', ['-p', 'tsconfig.json']),
        vitestStep('boundaries'),
      ];
    case 'model':
      return [vitestStep(tier, { env, timeoutMs: minutes(options.long ? 150 : 15) })];
    case 'unit':
    case 'bus':
    case 'conformance':
      return [packagesStep('test'), vitestStep(tier, { env, timeoutMs: minutes(options.long ? 60 : 15) })];
    case 'fuzz':
      return fuzzSteps(options.long ? 600 : 30);
    case 'swarm':
      return [
        packagesStep('test'),
        ...swarmEngines(options).map((engine) => {
          const run = { size: { nodes: 3, managers: 3 }, engine, env, timeoutMs: minutes(options.long ? 180 : 60) };
          // Tests that fault nodes have a lab of their own: both mostly wait.
          return together([labStep('swarm', run), labStep('swarm-faults', run)]);
        }),
      ];
    case 'stack':
      return [
        packagesStep('test'),
        labStep('stack', { size: { nodes: 5, managers: 3 }, engine: undefined, env, timeoutMs: minutes(options.long ? 180 : 30) }),
      ];
    case 'demo':
      return options.demo ? [demoStep] : [];
  }
}

const demoStep = commandStep('demo --once', './hivekeep', ['demo', '--once'], { timeoutMs: minutes(15) });

/** Debian packages that the tests' neighbours come from; a missing one fails the tier and names the command to run. */
function packagesStep(purpose: string): Step {
  const install = commandStep('Debian packages', 'test/lab/packages.sh', [purpose]);
  return async (context) => {
    const { failed } = await install(context);
    return { passed: 0, failed, notRun: [] };
  };
}

/** Two programs at a time: each works on one core. */
function fuzzSteps(seconds: number): Step[] {
  const env = { HIVEKEEP_FUZZ_SECONDS: String(seconds) };
  const steps = globSync('test/fuzz/*.ts', { cwd: checkout })
    .sort()
    .map((file) => commandStep(file, 'node', [file], { env, timeoutMs: (seconds + 60) * 1000 }));
  return Array.from({ length: Math.ceil(steps.length / 2) }, (_, pair) => together(steps.slice(pair * 2, pair * 2 + 2)));
}

function together(steps: readonly Step[]): Step {
  return async (context) => sumTallies(await Promise.all(steps.map((step) => step(context))));
}

function swarmEngines({ engine, long }: TierOptions): (string | undefined)[] {
  return long && engine === undefined ? [undefined, '26', '28'] : [engine];
}

interface LabRun {
  readonly size: { nodes: number; managers: number };
  readonly engine: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** The tests of a project on a lab of their own, down again whatever happens. */
function labStep(project: 'swarm' | 'swarm-faults' | 'stack', { size, engine, env, timeoutMs }: LabRun): Step {
  const name = `${project.split('-').at(-1)}-${createHash('sha256').update(checkout).digest('hex').slice(0, 8)}`;
  const tests = vitestStep(project, { env: { ...env, HIVEKEEP_LAB: name }, timeoutMs, eachTest: true });
  return async (context): Promise<Tally> => {
    if (context.signal.aborted) return sumTallies([]);
    try {
      await allDown(name); // a run that was killed may have left its lab
      await labUp(size, { name, engine });
      return await tests(context);
    } catch (thrown) {
      const reason = `lab ${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
      context.say(`FAILED: ${reason}`);
      return { passed: 0, failed: [reason], notRun: [] };
    } finally {
      await allDown(name);
    }
  };
}

/** A lab, and before it the one that tests may have put beside it. */
async function allDown(name: string): Promise<void> {
  for (const each of [`${name}-b`, name]) await labDown({ name: each });
}
