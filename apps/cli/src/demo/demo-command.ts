import { Command } from 'commander';
import { withExample } from '../command-options.ts';
import { loadBundle } from '../load-bundle.ts';

export interface DemoOptions {
  /** Does everything by itself, checks it, and ends. */
  readonly once: boolean;
  /** Makes a swarm of the local engine when it is in none. */
  readonly initSwarm: boolean;
  /** Leaves the swarm, the repository and what was deployed. */
  readonly keep: boolean;
}

/** `hivekeep demo`: the main job, from a Git repository to a swarm and back to nothing. */
export function demoCommand(): Command {
  const demo = new Command('demo')
    .description('show the main job on a swarm: this engine, or a throwaway lab of 3 nodes (Linux, root)')
    .option('--once', 'do everything that can be tried, check the results, clean up and exit', false)
    .option('--init-swarm', "make this machine's engine a swarm of one node when it is in none", false)
    .option('--keep', 'leave everything as it is at the end', false)
    .action(async (options: DemoOptions) => {
      const bundle = (await loadBundle('demo')) as { run: (options: DemoOptions) => Promise<number> }; // src/demo/run-demo.ts
      process.exitCode = await bundle.run(options);
    });
  return withExample(demo, 'hivekeep demo', 'hivekeep demo --once');
}
