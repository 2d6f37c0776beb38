import { readFile } from 'node:fs/promises';
import { parseSetFile, type ValuesInput } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';

export interface ValuesFlags {
  readonly file?: readonly string[];
  readonly set?: readonly string[];
  readonly setFile?: readonly string[];
}

/** What `-f`, `--set` and `--set-file` say, their files read. Throws `usage/invalid` for one that can't be read. */
export async function readValuesFlags({ file = [], set = [], setFile = [] }: ValuesFlags): Promise<ValuesInput> {
  const files = await Promise.all(file.map(async (path) => ({ path, bytes: await read(path) })));
  const setFiles = await Promise.all(
    setFile.map(parseSetFile).map(async ({ key, path }) => ({ key, content: (await read(path)).toString('utf8') })),
  );
  return { files, set, setFiles };
}

async function read(path: string): Promise<Buffer> {
  return readFile(path).catch((cause: Error) => {
    throw new HivekeepError('usage/invalid', `'${path}' cannot be read: ${cause.message}`, { cause });
  });
}
