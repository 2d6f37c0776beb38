import { runCli } from './run-cli.ts';

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 8));

process.exitCode = await runCli(process.argv);
