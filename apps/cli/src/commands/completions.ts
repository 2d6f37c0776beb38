import { httpApi } from '@hivekeep/contracts';
import type { Command } from 'commander';
import { ApiClient } from '../client/api-client.ts';
import { connectionOf } from '../client/connection.ts';

/** How long a shell may be kept waiting for application names, in ms. */
const NAMES_MS = 1_000;

/** What may stand where the last of `words` is: commands, options, application names. */
export async function completions(program: Command, words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  let command = program;
  let operands = 0;
  for (const word of words.slice(0, -1)) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (child) command = child;
    else if (!word.startsWith('-')) operands += 1;
  }
  return (await candidates(command, current, operands)).filter((word) => word.startsWith(current)).sort();
}

async function candidates(command: Command, current: string, operands: number): Promise<string[]> {
  if (current.startsWith('-')) return command.options.flatMap((option) => (option.long && !option.hidden ? [option.long] : []));
  if (command.commands.length > 0)
    return command
      .createHelp()
      .visibleCommands(command)
      .map((child) => child.name());
  const argument = command.registeredArguments[operands];
  if (argument?.name() === 'application') return applicationNames();
  return [...(argument?.argChoices ?? [])];
}

/** None when the gateway does not answer at once: a shell must not hang. */
async function applicationNames(): Promise<string[]> {
  try {
    const client = new ApiClient(connectionOf({}, process.env));
    const { value } = await client.call(httpApi.applications, { signal: AbortSignal.timeout(NAMES_MS) });
    return value.applications.map((view) => view.spec.name);
  } catch {
    return [];
  }
}
