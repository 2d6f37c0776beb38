import { describeSettings, type SettingDescription } from './describe-settings.ts';
import { type SettingsName, settings } from './shapes.ts';

const titles: Record<SettingsName, string> = {
  up: '`hivekeep up`: everything in one process',
  source: '`hivekeep service source`',
  reconciler: '`hivekeep service reconciler`',
  'node-agent': '`hivekeep service node-agent`',
  gateway: '`hivekeep service gateway`',
};

/** The configuration reference in Markdown, from the schemas the services check with. */
export function configReference(): string {
  const sections = Object.entries(settings).map(([name, schema]) => section(titles[name as SettingsName], describeSettings(schema)));
  return `# Configuration

<!-- Made by \`hivekeep dev config-reference\`; a test compares. -->

Every flag is also a variable: \`--a-b\` is \`HIVEKEEP_A_B\` (\`SWARMCLI_CD_A_B\` is read too); a flag wins. Lists are separated by
commas in a variable. Durations are written like \`90s\`, \`3m\` or \`24h\`. Secrets are given in files, or in the environment where a
row has no flag; never as an argument.

${sections.join('\n')}`;
}

function section(title: string, described: readonly SettingDescription[]): string {
  return `## ${title}\n\n| flag | variable | default | meaning |\n|---|---|---|---|\n${described.map(row).join('')}`;
}

function row({ flag, variable, kind, metavar, description, fallback }: SettingDescription): string {
  const value = kind === 'flag' ? '' : ` ${metavar.toUpperCase()}`;
  const shown = flag === undefined ? '' : `\`${flag}${value}\``;
  return `| ${shown} | \`HIVEKEEP_${variable}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description} |\n`;
}
