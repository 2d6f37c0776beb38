import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
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
});
