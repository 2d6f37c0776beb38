import { type Command, CommanderError } from 'commander';
import { EXIT } from './exit-status.ts';
import { buildProgram } from './program.ts';

/** Runs one command line (`process.argv`) and gives its exit status. Failures are told on stderr. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const program = buildProgram();
  if (argv.some((word) => word === 'up' || word === 'service')) (await import('./settings/setting-options.ts')).addSettingOptions(program);
  overrideExit(program);
  try {
    await program.parseAsync([...argv]);
    return Number(process.exitCode ?? EXIT.ok);
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { exitCodeIn, failureOf } = await import('./failure.ts');
    const status = exitCodeIn(thrown);
    if (status !== undefined) return status;
    const { exitCodeOf } = await import('./exit-codes.ts');
    const { text, exitCode } = failureOf(thrown, exitCodeOf);
    process.stderr.write(`hivekeep: ${text}\n`);
    return exitCode;
  }
}

/** Commander ends the process itself unless each command is told not to. */
function overrideExit(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help shows the usage)').showSuggestionAfterError();
  for (const child of command.commands) overrideExit(child);
}
