import { Command } from 'commander';
import { withExample } from '../command-options.ts';

/** `hivekeep healthcheck`: what a container's health check runs. */
export function healthcheckCommand(): Command {
  const command = new Command('healthcheck')
    .description('ask a gateway whether it is alive; exit 7 when it is not')
    .option('--server <url>', 'the gateway (HIVEKEEP_SERVER; default http://127.0.0.1:8080)')
    .action(async (flags: { server?: string }) => (await import('./healthcheck-action.ts')).healthcheck(flags));
  return withExample(command, 'hivekeep healthcheck --server https://localhost:8080');
}
