import { HivekeepError, type Issue, parseDuration } from '@hivekeep/contracts';
import type { z } from 'zod';
import { type ConfigField, configFields } from './config-fields.ts';

export interface ConfigInput {
  /** What follows the command, without it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A value as it was given: the texts, and what users call the place it came from. */
interface Given {
  readonly texts: readonly string[];
  readonly name: string;
}

/**
 * The configuration of a service from its flags, then `HIVEKEEP_…`, then `SWARMCLI_CD_…`. Lists are repeated flags, or one
 * variable with commas. Throws `usage/invalid` with every problem at once, each with the flag, what was expected and what
 * was found; values of secrets are never shown.
 */
export function parseFlags<S extends z.ZodObject>(schema: S, { argv, env }: ConfigInput): z.output<S> {
  const fields = configFields(schema);
  const { flags, issues } = readArguments(argv, fields);
  const raw: Record<string, unknown> = {};
  const given = new Map<string, Given>();
  for (const field of fields) {
    const found = flags.get(field.key) ?? fromEnvironment(field, env);
    if (!found) continue;
    given.set(field.key, found);
    const value = convert(field, found);
    if (value === undefined) issues.push(issue(found.name, `expected ${expectation[field.kind]}${shown(field, found)}`));
    else raw[field.key] = value;
  }
  const parsed = schema.safeParse(raw);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = fields.find(({ key }) => key === path[0]);
    if (issues.some((known) => known.path === (field && nameOf(field, given)))) continue;
    issues.push(field ? issue(nameOf(field, given), `${lowered(message)}${shown(field, given.get(field.key))}`) : issue('', message));
  }
  if (issues.length === 0 && parsed.success) return parsed.data;
  const lines = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  throw new HivekeepError('usage/invalid', lines.join('\n'), { issues });
}

function readArguments(argv: readonly string[], fields: readonly ConfigField[]): { flags: Map<string, Given>; issues: Issue[] } {
  const flags = new Map<string, Given>();
  const issues: Issue[] = [];
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    const [, name = argument, attached] = /^(--[^=]+)=(.*)$/s.exec(argument) ?? [];
    const field = fields.find(({ flag }) => flag === name);
    const next = argv[at + 1];
    const takesNext = attached === undefined && name.startsWith('--') && field?.kind !== 'boolean' && next?.startsWith('--') === false;
    if (takesNext) at += 1;
    if (!field || field.secret) {
      issues.push(field ? secretArgument(field) : unknownArgument(name));
      continue;
    }
    const text = attached ?? (field.kind === 'boolean' ? 'true' : takesNext ? next : undefined);
    if (text === undefined) issues.push(issue(name, `expected ${expectation[field.kind]}, found nothing`));
    else if (flags.has(field.key) && field.kind !== 'list') issues.push(issue(name, 'expected once, found twice'));
    else flags.set(field.key, { name, texts: [...(flags.get(field.key)?.texts ?? []), text] });
  }
  return { flags, issues };
}

function secretArgument({ flag, variables }: ConfigField): Issue {
  return issue(flag, `a secret is no argument: use ${flag}-file, or ${variables[0]} in the environment`);
}

function unknownArgument(name: string): Issue {
  return issue('', name.startsWith('-') ? `unknown flag ${name}` : `unexpected argument ${JSON.stringify(name.slice(0, 100))}`);
}

function fromEnvironment({ kind, variables }: ConfigField, env: ConfigInput['env']): Given | undefined {
  for (const name of variables) {
    const text = env[name];
    if (text) return { name, texts: kind === 'list' ? text.split(',').map((part) => part.trim()) : [text] };
  }
  return undefined;
}

const expectation = {
  text: 'a value',
  number: 'a number',
  boolean: 'true or false',
  duration: 'a duration such as 90s or 1h30m',
  list: 'a value',
} as const;

function convert({ kind }: ConfigField, { texts }: Given): unknown {
  const [text = ''] = texts;
  switch (kind) {
    case 'text':
      return text;
    case 'list':
      return texts;
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
    case 'duration':
      return parseDuration(text);
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : undefined;
  }
}

function nameOf(field: ConfigField, given: ReadonlyMap<string, Given>): string {
  return given.get(field.key)?.name ?? (field.secret ? field.variables[0] : field.flag);
}

function shown({ secret }: ConfigField, given: Given | undefined): string {
  if (!given) return ', found nothing';
  return secret ? '' : `, found ${given.texts.map((text) => JSON.stringify(text.slice(0, 200))).join(', ')}`;
}

/** zod's "Invalid input: expected string, received undefined" without what is said again. */
function lowered(message: string): string {
  return message.replace(/^Invalid input: /, '').replace(/, received \w+$/, '');
}

function issue(path: string, message: string): Issue {
  return path ? { path, message } : { message };
}
