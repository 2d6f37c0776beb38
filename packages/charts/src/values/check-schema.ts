import type { Issue } from '@hivekeep/contracts';
import type { GoMap } from '@hivekeep/goyaml';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { chartError } from '../problems.ts';
import { plainJson } from './plain-json.ts';
import { compileSchema } from './schema-dialects.ts';

/** A schema is compiled into a program: a larger one would cost more than any chart needs. */
const MAX_SCHEMA_BYTES = 512 * 1024;
const MAX_ISSUES = 100;

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
    return compileSchema(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unreadable';
    throw chartError([{ file, message: `the schema can't be used: ${why}` }]);
  }
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
