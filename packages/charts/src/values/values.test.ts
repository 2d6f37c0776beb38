import { HivekeepError } from '@hivekeep/contracts';
import { decodeValues, GoMap, type GoValue, toPlain } from '@hivekeep/goyaml';
import { describe, expect, it } from 'vitest';
import { checkSchema } from './check-schema.ts';
import { layerValues } from './layer-values.ts';
import { applySet, applySetFile, parseSetFile } from './set-values.ts';

const yaml = (text: string): GoMap => decodeValues(text);
const file = (text: string, path = 'v.yaml') => ({ path, bytes: Buffer.from(text) });
const set = (expression: string): unknown => toPlain(applySet(new GoMap(), expression));
const refusal = (run: () => unknown): HivekeepError => {
  try {
    run();
  } catch (error) {
    if (error instanceof HivekeepError) return error;
    throw error;
  }
  throw new Error('was accepted');
};

describe('layers', () => {
  it('lie on each other in their order and leave the defaults alone', () => {
    const defaults = yaml('web: {replicas: 1, image: nginx}\nlist: [1, 2]\n');
    const values = layerValues(defaults, { files: [file('web: {replicas: 2}\nlist: [3]'), file('a: 1')], set: ['web.replicas=5'] });
    expect(toPlain(values)).toEqual({ web: { replicas: 5, image: 'nginx' }, list: [3], a: 1 });
    expect(toPlain(defaults)).toEqual({ web: { replicas: 1, image: 'nginx' }, list: [1, 2] });
  });

  it.each<[string, string, string, unknown]>([
    ['a list replaces', 'a: [1, 2]', 'a: [3]', { a: [3] }],
    ['a null overrides', 'a: {b: 1}', 'a: null', { a: null }],
    ['a scalar replaces a mapping', 'a: {b: 1}', 'a: 1', { a: 1 }],
    ['a mapping with a key that is no text replaces whole', 'a: {b: 1}', 'a: {1: x}', { a: { 1: 'x' } }],
    ['an empty file changes nothing', 'a: 1', '', { a: 1 }],
  ])('%s', (_name, below, above, expected) => {
    expect(toPlain(layerValues(yaml(below), { files: [file(above)] }))).toEqual(expected);
  });

  it('names the place of every file that is no mapping', () => {
    const error = refusal(() => layerValues(new GoMap(), { files: [file('a: 1'), file('- x', 'b.yaml'), file('a: [', 'c.yaml')] }));
    expect(error.issues?.map(({ file: name, message }) => `${name} ${message.slice(0, 14)}`)).toEqual([
      'b.yaml values file 2:',
      'c.yaml values file 3:',
    ]);
  });
});

describe('--set', () => {
  it.each<[string, unknown]>([
    ['a.b=3,a.c=true,d=hello', { a: { b: 3, c: true }, d: 'hello' }],
    ['n[0]=x,n[1]=y', { n: ['x', 'y'] }],
    ['a[2]=x', { a: [null, null, 'x'] }],
    ['s[0].p=80', { s: [{ p: 80 }] }],
    ['a={x,y},b=1', { a: ['x', 'y'], b: 1 }],
    ['a={}', { a: [] }],
    ['a={1, true ,x}', { a: [1, true, 'x'] }],
    ['a=x\\,y', { a: 'x,y' }],
    ['a=b=c', { a: 'b=c' }],
    [' a = 1 ', { a: 1 }],
    ['a=007,b=+5,c=1.10,d=1e3,e=null,f=nil', { a: 7, b: 5, c: 1.1, d: 1000, e: null, f: null }],
    ['a=inf,b=1_000,c=12345678901234567890', { a: Number.POSITIVE_INFINITY, b: 1000, c: 12345678901234567000 }],
    ['a=,b=yes', { a: '', b: 'yes' }],
    ['__proto__.x=1', JSON.parse('{"__proto__": {"x": 1}}')],
  ])('%s', (expression, expected) => {
    expect(set(expression)).toEqual(expected);
  });

  it.each(['a[x]=1', 'a[-1]=1', 'a[0=1', 'a]0]=1', '[0]=1', 'a..b=1', 'a[0]x=1', 'novalue', '=1', 'a[99999999]=1'])(
    '%s is refused',
    (expression) => {
      expect(refusal(() => set(expression)).code).toBe('usage/invalid');
    },
  );

  it('changes nothing of what it was given', () => {
    const before = yaml('a: {b: [1]}');
    applySet(before, 'a.b[0]=2');
    expect(toPlain(before)).toEqual({ a: { b: [1] } });
  });
});

it('--set-file keeps a text as it is and comes last', () => {
  expect(toPlain(applySetFile(new GoMap(), 'a.b', 'true'))).toEqual({ a: { b: 'true' } });
  expect(toPlain(layerValues(new GoMap(), { set: ['a=1'], setFiles: [{ key: 'a', content: '2\n' }] }))).toEqual({ a: '2\n' });
  expect(parseSetFile(' a = ./x=y ')).toEqual({ key: 'a', path: './x=y' });
  expect(refusal(() => parseSetFile('a=')).code).toBe('usage/invalid');
});

describe('values.schema.json', () => {
  const check = (schema: unknown, values: string) =>
    checkSchema(Buffer.from(typeof schema === 'string' ? schema : JSON.stringify(schema)), yaml(values), 's.json');
  const minimum = { properties: { replicas: { type: 'integer', minimum: 1 } } };
  const format = { properties: { mail: { format: 'email' } } };

  it.each<[string, unknown, string]>([
    ['a blank one checks nothing', ' \n', 'a: 1'],
    ['a whole number is an integer', minimum, 'replicas: 3.0'],
    ['a format is a remark', format, 'mail: nobody'],
    ['a large int is a number', { properties: { a: { type: 'number' } } }, 'a: 18446744073709551615'],
    ['a required key called like a member of objects', { required: ['constructor'] }, 'constructor: 1'],
    ['what later dialects have is none of draft 6', { $schema: 'http://json-schema.org/draft-06/schema', if: false, else: false }, 'a: 1'],
    [
      'a reference of draft 7 stands alone',
      { $schema: 'https://json-schema.org/draft-07/schema', $ref: '#/definitions/a', not: {}, definitions: { a: {} } },
      'a: 1',
    ],
    ['the newest dialect by its short name', { $schema: 'http://json-schema.org/schema#', ...minimum }, 'replicas: 1'],
    ['an evil pattern costs no time', { properties: { a: { pattern: '^(a+)+$' } } }, `a: ${'a'.repeat(40)}`],
  ])('%s', (_name, schema, values) => {
    expect(() => check(schema, values)).not.toThrow();
  });

  it.each<[string, unknown, string, RegExp]>([
    ['a value out of range', minimum, 'replicas: 0', /values\.replicas: must be >= 1/],
    ['a key that is not allowed', { additionalProperties: false }, 'b: 1', /must NOT have additional properties \("b"\)/],
    [
      'a format of draft 7',
      { ...format, $schema: 'http://json-schema.org/draft-07/schema#' },
      'mail: nobody',
      /values\.mail: must match format/,
    ],
    ['a missing key called like a member of objects', { required: ['constructor'] }, 'a: 1', /constructor/],
    [
      'a pattern that does not match',
      { properties: { a: { pattern: '^(a+)+$' } } },
      `a: ${'a'.repeat(40)}!`,
      /values\.a: must match pattern/,
    ],
    ['no JSON', '{', 'a: 1', /s\.json: the schema can't be used/],
    ['a schema elsewhere', { $ref: 'https://example.com/s.json' }, 'a: 1', /s\.json: the schema can't be used/],
    ['a schema that leads to itself', { $ref: '#' }, 'a: 1', /s\.json: the schema can't be used/],
    ['another dialect', { $schema: 'http://json-schema.org/draft-03/schema#' }, 'a: 1', /expected a \$schema of draft 4, 6/],
    [
      'a bound of draft 4',
      { $schema: 'http://json-schema.org/draft-04/schema#', properties: { a: { minimum: 1, exclusiveMinimum: true } } },
      'a: 1',
      /values\.a: must be > 1/,
    ],
    [
      'what a schema that refers to itself says of parts',
      { properties: { a: { $ref: '#' }, b: { type: 'integer' } } },
      'a: {a: {b: x}}',
      /values\.a\.a\.b: must be integer/,
    ],
  ])('refuses %s', (_name, schema, values, message) => {
    expect(refusal(() => check(schema, values))).toMatchObject({ code: 'chart/invalid', message: expect.stringMatching(message) });
  });

  it('names every violation', () => {
    const { issues } = refusal(() => check({ ...minimum, required: ['name'] }, 'replicas: 0'));
    expect(issues?.map(({ path }) => path)).toEqual(['values', 'values.replicas']);
  });

  it('keeps ints apart from texts', () => {
    const value: GoValue = applySet(new GoMap(), 'replicas=3').get('replicas') ?? null;
    expect(value).toBe(3n);
  });
});
