import { Command } from 'commander';
import { versionCommand } from './version.ts';

const program = new Command('hivekeep').description('Keeps Docker Swarms the way Git says.').showHelpAfterError();
program.addCommand(versionCommand());

await program.parseAsync();
