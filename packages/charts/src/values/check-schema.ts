import { HivekeepError, type Issue } from '@hivekeep/contracts';
import type { GoMap } from '@hivekeep/goyaml';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';
import { chartError } from '../problems.ts';
import { plainJson } from './plain-json.ts';

/** A schema is compiled into a program: a larger one would cost more than any chart needs. */
const MAX_SCHEMA_BYTES = 512 * 1024;
const MAX_ISSUES = 100;

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
  // Patterns of a chart are not trusted: RE2 takes linear time, and is what the family's engine has.
  code: { regExp: Object.assign((pattern: string) => RE2JS.compile(pattern), { code: 'RE2' }) },
};
/** Dialects by what their `$schema` contains. Up to draft 7 `format` is checked, later it is a remark. */
const DIALECTS: readonly { readonly marks: RegExp; readonly make: () => Ajv }[] = [
  { marks: /draft-0[67]/, make: () => withFormats(new Ajv({ ...OPTIONS, meta: true })) },
  { marks: /2019-09/, make: () => new Ajv2019({ ...OPTIONS, validateFormats: false }) },
  { marks: /2020-12/, make: () => new Ajv2020({ ...OPTIONS, validateFormats: false }) },
];

const compiled = new WeakMap<Uint8Array, ValidateFunction>();

/**
 * Checks merged values against a chart's `values.schema.json`; a blank one checks nothing. Nothing is ever fetched for a `$ref`.
 * Throws `chart/invalid` with every violation, and when the schema itself can't be used. `file` names the schema.
 */
export function checkSchema(schema: Uint8Array, values: GoMap, file: string): void {
  if (Buffer.from(schema).toString('utf8').trim() === '') return;
  const validate = compiled.get(schema) ?? compile(schema, file);
  compiled.set(schema, validate);
  if (runs(() => validate(plainJson(values)), file)) return;
  const issues = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(toIssue);
  throw chartError(issues.slice(0, MAX_ISSUES));
}

function compile(bytes: Uint8Array, file: string): ValidateFunction {
  if (bytes.byteLength > MAX_SCHEMA_BYTES)
    throw chartError([{ file, message: `the schema has ${bytes.byteLength} bytes; at most ${MAX_SCHEMA_BYTES} are read` }]);
  try {
    const schema: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema)))
      throw new HivekeepError('chart/invalid', 'expected an object');
    return ajvFor(typeof schema === 'object' && '$schema' in schema ? String(schema.$schema) : '2020-12').compile(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unreadable';
    throw chartError([{ file, message: `the schema can't be used: ${why}` }]);
  }
}

function ajvFor(dialect: string): Ajv {
  const found = DIALECTS.find(({ marks }) => marks.test(dialect));
  if (found) return found.make();
  throw new HivekeepError('chart/invalid', `expected a $schema of draft 6, draft 7, 2019-09 or 2020-12, found ${dialect.slice(0, 200)}`);
}

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv);
  return ajv;
}

/** A schema that refers to itself without end fills the stack. */
function runs(validate: () => unknown, file: string): boolean {
  try {
    return validate() === true;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw chartError([{ file, message: "the schema can't be used: it leads back to itself without end" }]);
  }
}

function toIssue({ instancePath, message = 'is not valid', params }: ErrorObject): Issue {
  const path = ['values', ...instancePath.split('/').slice(1).map(unescapePointer)].join('.');
  const detail =
    'additionalProperty' in params
      ? ` (${JSON.stringify(params.additionalProperty)})`
      : 'allowedValues' in params
        ? ` (${JSON.stringify(params.allowedValues)})`
        : '';
  return { path, rule: 'schema', message: `${message}${detail}` };
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
