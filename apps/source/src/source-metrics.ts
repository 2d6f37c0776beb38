import { counter, durations } from '@hivekeep/runtime';

/** What a source counts; docs/operations.md says what each number means. */
export const sourceMetrics = {
  renders: counter('renders', 'Applications rendered: of which something they read has changed.'),
  builds: counter('builds', 'Applications built, by outcome: ok or the code of the error.', ['outcome']),
  build: durations('build', 'Time to build one application, its fetch included.'),
  gitCommands: counter('git_commands', 'Git commands that ended, by command and outcome: ok, failed or the code of the error.', [
    'command',
    'outcome',
  ]),
  gitCommand: durations('git_command', 'Time of one Git command.', ['command']),
} as const;
