import { type Command, Option } from 'commander';
import { describeSettings, type SettingDescription } from './describe-settings.ts';
import { type SettingsName, settings } from './shapes.ts';

/** Gives `up` and each `service …` the flags of its schema. */
export function addSettingOptions(program: Command): void {
  const service = program.commands.find((command) => command.name() === 'service');
  const up = program.commands.filter((command) => command.name() === 'up');
  for (const command of [...up, ...(service?.commands ?? [])])
    for (const setting of describeSettings(settings[command.name() as SettingsName])) // named after their settings
      if (setting.flag !== undefined) command.addOption(optionOf(setting, setting.flag));
}

/** Defaults stay with the schema, so that a variable can come between a flag and them. */
function optionOf({ kind, metavar, description, fallback, variable }: SettingDescription, flag: string): Option {
  const help = `${description.replace(/\.$/, '')} (HIVEKEEP_${variable}${fallback === undefined ? '' : `; default ${fallback}`})`;
  if (kind === 'flag') return new Option(flag, help);
  const option = new Option(`${flag} <${metavar}>`, help);
  return kind === 'list' ? option.argParser((value: string, sofar: string[] | undefined) => [...(sofar ?? []), value]) : option;
}
