import { HivekeepError } from '@hivekeep/contracts';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import draft04 from 'ajv-draft-04';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';

/** A version of JSON Schema, read as the family's engine reads it. */
interface Dialect {
  readonly make: () => Ajv;
  /** Keywords of later versions and of OpenAPI, which the library would honour and this dialect passes over. */
  readonly unknown?: readonly string[];
  /** Up to draft 7: a `$ref` stands alone, and `format` is checked instead of being a remark. */
  readonly old?: boolean;
}

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  multipleOfPrecision: 9, // so that 0.3 is a multiple of 0.1
  validateFormats: false,
  logger: false,
  // Patterns of a chart are not trusted: RE2 takes linear time, and is what the family's engine has.
  code: { regExp: Object.assign((pattern: string) => RE2JS.compile(pattern), { code: 'RE2' }) },
};
const OLD: Options = { ...OPTIONS, validateFormats: true };
const conditions = ['if', 'then', 'else'];
const newest: Dialect = { make: () => new Ajv2020(OPTIONS), unknown: ['id'] };
/** By their `$schema`, without its scheme and the `#` at its end. */
const DIALECTS: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft-04/schema': {
    make: () => new draft04.default(OLD),
    unknown: ['const', 'contains', 'propertyNames', ...conditions],
    old: true,
  },
  'json-schema.org/draft-06/schema': { make: () => new Ajv({ ...OLD, meta: draft06 }), unknown: ['id', ...conditions], old: true },
  'json-schema.org/draft-07/schema': { make: () => new Ajv(OLD), unknown: ['id'], old: true },
  'json-schema.org/draft/2019-09/schema': { make: () => new Ajv2019(OPTIONS), unknown: ['id'] },
  'json-schema.org/draft/2020-12/schema': newest,
  'json-schema.org/schema': newest,
};

/** Makes a check of a schema by the dialect that its `$schema` names, 2020-12 without one. Throws what is wrong with it. */
export function compileSchema(schema: unknown): ValidateFunction {
  if (typeof schema === 'boolean') return newest.make().compile(schema);
  if (!isObject(schema)) throw new HivekeepError('chart/invalid', 'expected an object');
  const { $schema: name, ...rest } = schema;
  const dialect = name === undefined ? newest : dialectOf(String(name));
  const ajv = dialect.make();
  if (dialect.old) formats.default(ajv);
  for (const keyword of dialect.unknown ?? []) ajv.removeKeyword(keyword);
  return ajv.compile(prepared(rest, dialect) as object);
}

function dialectOf(name: string): Dialect {
  const place = name.replace(/^https?:\/\//, '').replace(/#$/, '');
  const dialect = Object.hasOwn(DIALECTS, place) ? DIALECTS[place] : undefined;
  if (dialect) return dialect;
  throw new HivekeepError('chart/invalid', `expected a $schema of draft 4, 6, 7, 2019-09 or 2020-12, found ${name.slice(0, 200)}`);
}

/** Keywords that hold schemas by names that the author chose. */
const BY_NAME = ['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'];
/** Keywords that hold data. */
const DATA = ['enum', 'const', 'default', 'examples'];
/** What may stand beside a `$ref` that stands alone: others refer to it. */
const BESIDE = ['$ref', 'definitions', '$defs'];

/** The schema without what the library honours and the dialect does not. */
function prepared(schema: unknown, dialect: Dialect): unknown {
  if (Array.isArray(schema)) return schema.map((each) => prepared(each, dialect));
  if (!isObject(schema)) return schema;
  const alone = dialect.old && typeof schema.$ref === 'string';
  const honoured = (key: string) => key !== 'nullable' && !(dialect.old && key === '$anchor');
  const members = Object.entries(schema).filter(([key]) => (alone ? BESIDE.includes(key) : honoured(key)));
  return Object.fromEntries(
    members.map(([key, member]) => {
      if (DATA.includes(key)) return [key, member];
      if (!BY_NAME.includes(key) || !isObject(member)) return [key, prepared(member, dialect)];
      return [key, Object.fromEntries(Object.entries(member).map(([name, each]) => [name, prepared(each, dialect)]))];
    }),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
