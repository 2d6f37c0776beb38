import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { httpApi } from '../http-api.ts';
import { Spec } from '../spec.ts';
import { messageSchemas } from './messages.ts';

/** Messages of version 0.1, with every field it had, optional ones and variants too. Never edited: a release adds a file. */
const recorded = readFileSync(new URL('./messages-0.1.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { message: string; body: unknown });
const schemas = messageSchemas();

/** The value with a field that no version knows, in every object. */
function withUnknownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknownFields);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withUnknownFields(member)]);
  return { ...Object.fromEntries(members), fieldOfALaterVersion: 'x' };
}

/** The value with `member` wherever its schema has an enum. A specification stays as it is: Git contains it, and what it says is obeyed. */
function withEnumsAs(member: string, schema: z.core.$ZodType, value: unknown): unknown {
  if (schema === Spec || value === null) return value;
  const inside = (part: z.core.$ZodType, each: unknown) => withEnumsAs(member, part, each);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'enum':
    case 'pipe':
      return member;
    case 'optional':
    case 'nullable':
    case 'default':
      return inside(def.innerType, value);
    case 'array':
      return (value as unknown[]).map((each) => inside(def.element, each));
    case 'record':
      return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, inside(def.valueType, each)]));
    case 'object':
      return Object.fromEntries(
        Object.entries(value as object).map(([key, each]) => [key, def.shape[key] ? inside(def.shape[key], each) : each]),
      );
    case 'union': {
      const fitting = def.options.find((option) => z.safeParse(option, value).success);
      return fitting ? inside(fitting, value) : value;
    }
    default:
      return value;
  }
}

/** Enums of a schema that take known values alone; those of a specification do not count. */
function closedEnums(schema: z.ZodType): string[] {
  const ofSpec = enumsOf(Spec);
  return enumsOf(schema).flatMap((found) => (ofSpec.includes(found) ? [] : found.options.join()));
}

function enumsOf(schema: z.ZodType): z.ZodEnum[] {
  const found: z.ZodEnum[] = [];
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema }) => void (zodSchema instanceof z.ZodEnum && found.push(zodSchema)),
  });
  return found;
}

test('every message is recorded', () => {
  expect([...new Set(recorded.map(({ message }) => message))].sort()).toEqual(Object.keys(schemas).sort());
});

describe('a message of the version before', () => {
  it.each(recorded.map(({ message, body }) => [message, body] as const))('%s is read whole', (message, body) => {
    expect(schemas[message]?.parse(body)).toEqual(body);
  });
});

describe('a message of a later version', () => {
  // open maps (labels, say) keep what they are given
  it.each(recorded.map(({ message, body }) => [message, body as object] as const))('%s is read as far as it is known', (message, body) => {
    expect(schemas[message]?.parse(withUnknownFields(body))).toMatchObject(body);
  });

  // a request is obeyed or refused, never guessed at
  const told = Object.entries(schemas).filter(([message]) => !message.endsWith(' request'));
  const answered = Object.values(httpApi).map(({ id, reply }) => [`answer to ${id}`, reply] as const);

  it.each([...told, ...answered])('%s has no enum that takes known values alone', (_message, schema) => {
    expect(closedEnums(schema)).toEqual([]);
  });

  it.each(
    told.flatMap(([message, schema]) =>
      recorded.flatMap((line) => (line.message === message ? [[message, schema, line.body] as const] : [])),
    ),
  )('%s is read where an enum has a value that is not known', (_message, schema, body) => {
    expect(schema.parse(withEnumsAs('valueOfALaterVersion', schema, body))).toEqual(withEnumsAs('unknown', schema, body));
  });
});
