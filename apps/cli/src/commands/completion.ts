import { Command } from 'commander';
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

type Shell = keyof typeof scripts;

/** `hivekeep completion bash|zsh|fish` prints a script; the script calls it back with the words so far. */
export function completionCommand(): Command {
  const command = new Command('completion')
    .description('print a completion script for bash, zsh or fish')
    .argument('<shell...>', 'bash, zsh or fish; with --words, the words so far')
    .option('--words', 'print what may come next after the words given')
    .action(async (words: string[], { words: ask }: { words?: boolean }) => {
      if (ask) {
        const { completions } = await import('./completions.ts');
        const found = await completions(command.parent ?? command, words);
        process.stdout.write(found.map((word) => `${word}\n`).join(''));
        return;
      }
      const [shell = ''] = words;
      if (!Object.hasOwn(scripts, shell)) command.error(`error: expected bash, zsh or fish, found '${shell}'`);
      process.stdout.write(scripts[shell as Shell]); // checked
    });
  return withExample(command, 'hivekeep completion bash > /etc/bash_completion.d/hivekeep');
}
