import { existsSync, readFileSync } from 'node:fs';
import { decode, toPlain } from '@hivekeep/goyaml';
import { expect, it } from 'vitest';
import { deviations } from './deviations.ts';

const folder = new URL('../', import.meta.url);
const declared = toPlain(decode(readFileSync(new URL('deviations.yaml', folder)))) as unknown as Record<string, string>[];

it('every deviation is declared once, with its reason and a test that names it', () => {
  expect(declared.map(({ id }) => id)).toEqual(Object.keys(deviations).sort());
  for (const { id = '', cli, hivekeep, why, paths, test = '' } of declared) {
    expect([cli, hivekeep, why, paths].every(Boolean), id).toBe(true);
    const file = new URL(test, folder);
    expect(existsSync(file) && readFileSync(file, 'utf8').includes(id), `${id} in ${test}`).toBe(true);
  }
});
