import { HivekeepError } from '@hivekeep/contracts';
import type { z } from 'zod';
import { fromEnv } from '../client/connection.ts';
import { describeSettings, type SettingDescription } from './describe-settings.ts';
import { refusedCombinations } from './refused-combinations.ts';

/** What commander parsed, by camel-case name. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/**
 * Settings from flags, then the environment, then defaults. Throws `usage/invalid` with every problem at once: values that
 * do not fit, and combinations that contradict each other.
 */
export function readSettings<S extends z.ZodObject>(schema: S, flags: GivenFlags, env: NodeJS.ProcessEnv): z.output<S> {
  const described = describeSettings(schema);
  const issues: { path: string; message: string }[] = [];
  const given = Object.fromEntries(
    described.flatMap((setting) => {
      const value = flags[setting.key] ?? fromVariable(setting, env, issues);
      return value === undefined ? [] : [[setting.key, value]];
    }),
  );
  const parsed = schema.safeParse(given);
  for (const issue of parsed.error?.issues ?? []) issues.push({ path: nameOf(described, String(issue.path[0])), message: issue.message });
  issues.push(...refusedCombinations(given).map((message) => ({ path: '', message })));
  if (parsed.success && issues.length === 0) return parsed.data;
  throw new HivekeepError('usage/invalid', `the settings cannot be used as they are (${issues.length} problems)`, { issues });
}

function nameOf(described: readonly SettingDescription[], key: string): string {
  const setting = described.find((candidate) => candidate.key === key);
  return setting?.flag ?? `HIVEKEEP_${setting?.variable ?? key}`;
}

function fromVariable(
  { variable, kind }: SettingDescription,
  env: NodeJS.ProcessEnv,
  issues: { path: string; message: string }[],
): unknown {
  const text = fromEnv(env, variable);
  if (text === undefined || kind === 'value') return text;
  if (kind === 'list') return text.split(',').flatMap((item) => item.trim() || []);
  if (/^(true|1|yes)$/i.test(text)) return true;
  if (!/^(false|0|no)$/i.test(text)) issues.push({ path: `HIVEKEEP_${variable}`, message: `expected true or false, found '${text}'` });
  return false;
}
