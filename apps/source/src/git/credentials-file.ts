import { readFile, stat } from 'node:fs/promises';
import { HivekeepError } from '@hivekeep/contracts';
import { decode, toPlain } from '@hivekeep/goyaml';
import { z } from 'zod';
import { CredentialsDocument } from './credentials.ts';

const MAX_BYTES = 256 * 1024;

/** Reads the credentials file. Throws `source/auth`, which names the file and what is wrong in it. */
export async function readCredentialsFile(path: string): Promise<CredentialsDocument> {
  const text = await readBounded(path);
  const parsed = CredentialsDocument.safeParse(toPlain(decode(text, { file: path })));
  if (parsed.success) return parsed.data;
  throw new HivekeepError('source/auth', `the Git credentials file ${path} is invalid: ${z.prettifyError(parsed.error)}`);
}

async function readBounded(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new HivekeepError('source/auth', `the Git credentials file ${path} has more than ${MAX_BYTES} bytes`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof HivekeepError) throw cause;
    throw new HivekeepError('source/auth', `the Git credentials file ${path} can't be read`, { cause });
  }
}
