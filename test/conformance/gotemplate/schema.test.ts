import { checkSchema } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import { decodeValues, GoMap } from '@hivekeep/goyaml';
import { expect, test } from 'vitest';
import { buildOracle, hasGo } from './oracle.ts';
import { dialects, documents, schemas } from './schema-cases.ts';

/** A schema that can't be used refuses the values as well. */
const refused = (outcome: string | undefined) => (outcome === 'valid' ? 'valid' : 'refused');

/** Schemas that can't be used: to find that out takes long. */
const unusable = new Set<Uint8Array>();

function ourOutcome(schema: Uint8Array, values: GoMap): string {
  if (unusable.has(schema)) return 'refused';
  try {
    checkSchema(schema, values, 'values.schema.json');
    return 'valid';
  } catch (error) {
    if (!HivekeepError.is(error, 'chart/invalid')) throw error;
    if (error.message.includes("can't be used: ")) unusable.add(schema);
    return 'refused';
  }
}

test.skipIf(!(await hasGo()))(
  'values are judged as by the engine, whatever the dialect of their schema (needs Go 1.24 or later)',
  async () => {
    const oracle = await buildOracle();
    try {
      const cases = dialects.flatMap((dialect) =>
        schemas.flatMap((schema) => {
          const isPlain = typeof schema !== 'object' || schema === null || Array.isArray(schema);
          const bytes = Buffer.from(JSON.stringify(isPlain || dialect === '' ? schema : { $schema: dialect, ...schema }));
          return documents.map((text) => ({ bytes, text }));
        }),
      );
      const requests = cases.map(({ bytes, text }) => JSON.stringify({ schema: bytes.toString(), values: text }));
      const answers = await oracle.lines('schema', [], `${requests.join('\n')}\n`);
      const differences = cases.flatMap(({ bytes, text }, index) => {
        const { outcome, error } = JSON.parse(answers[index] ?? '{}') as { outcome?: string; error?: string };
        const found = ourOutcome(bytes, decodeValues(text) ?? new GoMap());
        return refused(outcome) === found ? [] : [`${bytes} with ${text}: Go ${outcome} (${error}), here ${found}`];
      });
      expect(answers).toHaveLength(cases.length);
      expect(differences).toEqual([]);
    } finally {
      await oracle.remove();
    }
  },
  300_000,
);
