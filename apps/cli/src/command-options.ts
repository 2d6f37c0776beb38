import { type Command, Option } from 'commander';
import type { Format } from './output/print.ts';

/** What every command that talks to a gateway takes. */
export interface ClientFlags {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly output: Format;
  readonly swarm?: string;
}

export function withExample(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', `\nExample:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
}

export const outputOption = () => new Option('-o, --output <format>', 'how to print').choices(['table', 'json', 'yaml']).default('table');

/** Adds `--server`, `--token-file` and `-o`. */
export function withClientOptions(command: Command): Command {
  return command
    .addOption(new Option('--server <url>', 'the gateway (HIVEKEEP_SERVER; default http://127.0.0.1:8080)'))
    .addOption(new Option('--token-file <file>', 'file with the token (HIVEKEEP_TOKEN_FILE, or HIVEKEEP_TOKEN)'))
    .addOption(outputOption());
}

export const swarmOption = () => new Option('--swarm <name>', 'which swarm, where several are served');
