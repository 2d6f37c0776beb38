import { GoFloat, GoTime, isDict, printValue, type Value } from '../value.ts';
import type { Rule } from './rule.ts';

/** Whether a value is of the kind a rule wants, whatever is in it. */
export function hasKind(value: Value, rule: Rule): boolean {
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

/** What a rule allows, in words. */
export function describe(rule: Rule): string {
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
export function describeValue(value: Value): string {
  if (value === null) return 'nothing (null); leave it out';
  if (Array.isArray(value)) return 'a list';
  if (isDict(value)) return 'a mapping';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  const text = printValue(value);
  return typeof value === 'boolean' ? `${text} (write "${text}" for the text)` : text;
}

/** Equal texts for values that are equal as JSON, where 1 and 1.0 are the same. */
export function identity(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(identity).join(',')}]`;
  if (!isDict(value)) return printValue(value instanceof GoFloat && Number.isSafeInteger(value.value) ? value.value : value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${identity(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}
