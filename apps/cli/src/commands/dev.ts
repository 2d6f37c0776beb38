import { Command } from 'commander';

/** `hivekeep dev …`: what keeps the checkout's generated documents right. */
export function devCommand(): Command {
  const dev = new Command('dev').description('for developers of Hivekeep');
  dev.addCommand(
    new Command('config-reference').description('print docs/reference/configuration.md').action(async () => {
      process.stdout.write((await import('../settings/config-reference.ts')).configReference());
    }),
  );
  return dev;
}
