import { readFile, realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { FileReader } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import { z } from 'zod';

const Environment = z.record(z.string(), z.string());

/** Reads below a folder as the docker CLI does: the person who runs the command may name any file. */
export function folderReader(folder: string): FileReader {
  return {
    read: async (path) => {
      try {
        return await readFile(isAbsolute(path) ? path : await realpath(join(folder, path)));
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') throw new HivekeepError('source/path-missing', 'no such file', { cause });
        throw new HivekeepError('source/refused', (cause as Error).message, { cause });
      }
    },
  };
}

/** The same, with `-` for standard input, as the docker CLI has it. */
export function readerWithInput(folder: string): FileReader {
  const files = folderReader(folder);
  return { read: (path) => (path === '-' ? buffer(process.stdin) : files.read(path)) };
}

/** The variables that interpolation sees: those of a JSON file, or none. */
export async function readEnvironment(file: string | undefined): Promise<Record<string, string>> {
  return file === undefined ? {} : readJson(file, Environment);
}

/** Throws `usage/invalid` when the file cannot be read or is not as the schema says. */
export async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const text = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new HivekeepError('usage/invalid', `'${file}' is not the JSON that is expected: ${text}`, { cause });
  }
}
