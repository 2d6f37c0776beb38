import { formatPath, type Path, type Problems } from '../problems.ts';
import { GoFloat, GoTime, isDict, printValue, type Value } from '../value.ts';
import { nearest } from './nearest.ts';
import type { Field, ObjectRule, Rule } from './rule.ts';

/** Checks a value against a rule of version 3.`minor` and collects everything that is wrong. */
export function validate(value: Value, rule: Rule, minor: number, path: Path, problems: Problems): void {
  switch (rule.kind) {
    case 'list':
      return validateList(value, rule, minor, path, problems);
    case 'map':
      return validateMap(value, rule, minor, path, problems);
    case 'object':
      return validateObject(value, rule, minor, path, problems);
    case 'either':
      return validateEither(value, rule.options, minor, path, problems);
    default: {
      const message = scalarProblem(value, rule);
      if (message !== undefined) problems.add(path, message);
    }
  }
}

function scalarProblem(value: Value, rule: Exclude<Rule, { kind: 'list' | 'map' | 'object' | 'either' }>): string | undefined {
  if (rule.kind === 'any') return undefined;
  if (!hasKind(value, rule)) return `expected ${describe(rule)}, found ${found(value)}`;
  if (rule.kind === 'integer' && rule.min !== undefined && numeric(value) < rule.min)
    return `expected at least ${rule.min}, found ${found(value)}`;
  if (rule.kind === 'string' && rule.oneOf && !rule.oneOf.includes(value as string))
    return `expected one of ${rule.oneOf.join(', ')}, found ${found(value)}`;
  if ((rule.kind === 'string' || rule.kind === 'number') && rule.format) return rule.format(printValue(value));
  return undefined;
}

function hasKind(value: Value, rule: Rule): boolean {
  switch (rule.kind) {
    case 'any':
      return true;
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' || value instanceof GoTime;
    case 'number':
      return isNumber(value);
    case 'integer':
      return isNumber(value) && (!(value instanceof GoFloat) || Number.isInteger(value.value));
    case 'list':
      return Array.isArray(value);
    case 'map':
    case 'object':
      return isDict(value);
    case 'either':
      return rule.options.some((option) => hasKind(value, option.rule));
  }
}

function isNumber(value: Value): value is number | bigint | GoFloat {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof GoFloat;
}

function numeric(value: Value): number {
  return value instanceof GoFloat ? value.value : Number(value);
}

function validateList(value: Value, rule: Extract<Rule, { kind: 'list' }>, minor: number, path: Path, problems: Problems): void {
  if (!Array.isArray(value)) return problems.add(path, `expected ${describe(rule)}, found ${found(value)}`);
  value.forEach((item, index) => {
    validate(item, rule.item, minor, [...path, index], problems);
  });
  if (!rule.unique) return;
  const seen = new Map<string, number>();
  value.forEach((item, index) => {
    const text = identity(item);
    const first = seen.get(text);
    if (first !== undefined) problems.add([...path, index], `the same as ${formatPath([...path, first])}; each item may stand there once`);
    else seen.set(text, index);
  });
}

function validateMap(value: Value, rule: Extract<Rule, { kind: 'map' }>, minor: number, path: Path, problems: Problems): void {
  if (!isDict(value)) return problems.add(path, `expected a mapping, found ${found(value)}`);
  for (const [key, item] of Object.entries(value)) {
    if (rule.key.test(key)) validate(item, rule.member, minor, [...path, key], problems);
    else problems.add([...path, key], `${JSON.stringify(key)} is not a name that may stand here: ${rule.key.source} is expected`);
  }
}

function validateObject(value: Value, rule: ObjectRule, minor: number, path: Path, problems: Problems): void {
  if (!isDict(value)) return problems.add(path, `expected a mapping, found ${found(value)}`);
  for (const key of rule.required) if (!Object.hasOwn(value, key)) problems.add(path, `${key} is required`);
  for (const [key, item] of Object.entries(value)) {
    const field: Field | undefined = Object.hasOwn(rule.fields, key) ? rule.fields[key] : undefined;
    if (field && field.since <= minor) validate(item, field.rule, minor, [...path, key], problems);
    else if (field && !rule.open)
      problems.add([...path, key], `${key} needs version 3.${field.since} or no version at all, the file says 3.${minor}`);
    else if (field === undefined && !rule.open) unknownKey(key, rule, minor, path, problems);
  }
}

function unknownKey(key: string, rule: ObjectRule, minor: number, path: Path, problems: Problems): void {
  if (key.startsWith('x-') && rule.extensionsSince !== undefined && minor >= rule.extensionsSince) return;
  const known = Object.keys(rule.fields).filter((name) => (rule.fields[name]?.since ?? 0) <= minor);
  const near = nearest(key, known);
  problems.add(
    [...path, key],
    `unknown key ${JSON.stringify(key)}; ${near ? `did you mean ${near}? ` : ''}known here: ${known.sort().join(', ')}`,
  );
}

/** A union: the option of the value's own kind is the one whose problems are told. */
function validateEither(value: Value, options: readonly Field[], minor: number, path: Path, problems: Problems): void {
  const rules = options.filter((option) => option.since <= minor).map((option) => option.rule);
  const rule = rules.find((candidate) => hasKind(value, candidate));
  if (rule) return validate(value, rule, minor, path, problems);
  problems.add(path, `expected ${rules.map(describe).join(' or ')}, found ${found(value)}`);
}

function describe(rule: Rule): string {
  switch (rule.kind) {
    case 'any':
      return 'anything';
    case 'null':
      return 'nothing';
    case 'boolean':
      return 'true or false';
    case 'string':
      return rule.oneOf ? `one of ${rule.oneOf.join(', ')}` : 'a string';
    case 'number':
      return 'a number';
    case 'integer':
      return 'a whole number';
    case 'list':
      return 'a list';
    case 'map':
    case 'object':
      return 'a mapping';
    case 'either':
      return rule.options.map((option) => describe(option.rule)).join(' or ');
  }
}

/** What stands in the file, short, for a message. */
function found(value: Value): string {
  if (value === null) return 'nothing (null)';
  if (Array.isArray(value)) return 'a list';
  if (isDict(value)) return 'a mapping';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  const text = printValue(value);
  return typeof value === 'boolean' ? `${text} (write "${text}" for the text)` : text;
}

/** JSON equality, under which 1 and 1.0 are the same. */
function identity(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(identity).join(',')}]`;
  if (!isDict(value)) return printValue(value instanceof GoFloat && Number.isSafeInteger(value.value) ? value.value : value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${identity(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}
