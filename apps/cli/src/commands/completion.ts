import { Argument, Command } from 'commander';
import { withExample } from '../command-options.ts';

/** Each script asks the command itself, so that none of them knows a command or an application. */
const scripts = {
  bash: `_hivekeep() {
  local IFS=$'\\n'
  COMPREPLY=($(hivekeep completion --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _hivekeep hivekeep
`,
  zsh: `#compdef hivekeep
_hivekeep() {
  local -a found
  found=("\${(@f)$(hivekeep completion --words -- "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
  compadd -a found
}
compdef _hivekeep hivekeep
`,
  fish: `complete -c hivekeep -f -a '(hivekeep completion --words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** `hivekeep completion bash|zsh|fish` prints a script; the script calls it back with the words so far. */
export function completionCommand(): Command {
  const command = new Command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('[shell]', 'which shell').choices(Object.keys(scripts)).argOptional())
    .argument('[words...]')
    .option('--words', 'print what may come next after the words given')
    .action(async (shell: string | undefined, words: string[], { words: ask }: { words?: boolean }) => {
      if (ask) {
        const { completions } = await import('./completions.ts');
        const found = await completions(command.parent ?? command, shell === undefined ? words : [shell, ...words]);
        process.stdout.write(found.map((word) => `${word}\n`).join(''));
        return;
      }
      if (shell === undefined) command.error("error: missing required argument 'shell' (bash, zsh or fish)");
      process.stdout.write(scripts[shell as keyof typeof scripts]); // one of the choices
    });
  return withExample(command, 'hivekeep completion bash > /etc/bash_completion.d/hivekeep');
}
