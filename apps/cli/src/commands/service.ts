import { Command } from 'commander';
import { withExample } from '../command-options.ts';
import type { SettingsName } from '../settings/shapes.ts';

const descriptions = {
  source: 'fetch and render: touches Git, never an engine',
  reconciler: 'plan and apply on one swarm, from a manager',
  'node-agent': 'answer for the volumes of one node',
  gateway: 'serve the HTTP API',
} as const satisfies Partial<Record<SettingsName, string>>;

/** `hivekeep up`: all services in one process. */
export function upCommand(): Command {
  const command = started('up', 'run everything in one process, for one swarm');
  return withExample(
    command,
    'hivekeep up --config applications.yaml --admin-token-file token',
    'hivekeep up --appset-repo https://git.example/set.git --appset-revision main --appset-path apps.yaml --prune',
  );
}

/** `hivekeep service NAME`: one service over NATS. */
export function serviceCommand(): Command {
  const service = withExample(
    new Command('service').description('run one service over NATS'),
    'hivekeep service gateway --nats nats://nats:4222',
  );
  for (const [name, description] of Object.entries(descriptions))
    service.addCommand(withExample(started(name as SettingsName, description), `hivekeep service ${name} --nats nats://nats:4222`));
  return service;
}

/** Its flags come from the schema: `addSettingOptions` adds them where they are needed, so that other commands start without it. */
function started(name: SettingsName, description: string): Command {
  return new Command(name)
    .description(description)
    .action(async (flags: Record<string, unknown>) => (await import('./service-action.ts')).runStarted(name, flags));
}
