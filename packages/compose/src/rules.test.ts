import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { rules } from './rules.ts';

it('each rule has a line in the reference, and no other has', async () => {
  const text = await readFile(new URL('../../../docs/reference/compose-rules.md', import.meta.url), 'utf8');
  const tables = text.slice(text.indexOf('## Rules'));
  const documented = [...tables.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, rule]) => rule);
  expect(documented.sort()).toEqual([...rules]);
});
