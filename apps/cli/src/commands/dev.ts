import { Argument, Command } from 'commander';
import { loadBundle } from '../load-bundle.ts';
import type { EvalKind } from './eval-action.ts';

const evalKinds: readonly EvalKind[] = ['templates', 'yaml-decode', 'yaml-emit', 'semver'];

/** `hivekeep dev …`: what keeps the checkout's generated documents right, and what answers recorded cases. */
export function devCommand(): Command {
  const dev = new Command('dev').description('for developers of Hivekeep');
  dev.addCommand(
    new Command('config-reference').description('print docs/reference/configuration.md').action(async () => {
      process.stdout.write((await import('../settings/config-reference.ts')).configReference());
    }),
  );
  dev.addCommand(
    new Command('eval')
      .description('read cases on stdin, one a line of JSON, and print a line with the result of each')
      .addArgument(new Argument('<kind>', 'what the cases are').choices(evalKinds))
      .action(async (kind: EvalKind) => {
        const { evaluate, toStdout } = (await loadBundle('eval')) as typeof import('./eval-action.ts'); // that very module, bundled
        await evaluate(kind, process.stdin, toStdout);
      }),
  );
  dev.addCommand(
    new Command('deploy-example').description('write deploy/example').action(async () => {
      await ((await loadBundle('deploy')) as typeof import('../deploy/run-deploy.ts')).writeExample(); // that very module, bundled
    }),
  );
  return dev;
}
