/** Converts every case folder of CASES and writes OUT/<case>.json: `node test/conformance/compose-batch.ts CASES OUT`. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { convertBatchCase } from '@hivekeep/compose';

const [cases = '', out = ''] = process.argv.slice(2);
await mkdir(out, { recursive: true });
for (const name of (await readdir(cases)).sort()) {
  const folder = resolve(cases, name);
  const text = await convertBatchCase({
    folder,
    names: await readdir(folder),
    reader: { read: async (path) => readFile(path.startsWith('/') ? path : join(folder, path)) },
  });
  await writeFile(join(out, `${name}.json`), text);
}
