import { HivekeepError } from '@hivekeep/contracts';
import { z } from 'zod';
import type { FileReader } from './api.ts';
import { Externals } from './convert/externals.ts';
import { type ConvertCaseInput, type ConvertCaseResult, convertCase } from './convert-case.ts';
import { exactJson } from './exact-json.ts';

const CaseSettings = z.object({ stack: z.string().default('demo'), files: z.array(z.string()).optional(), stdin: z.string().optional() });
const Environment = z.record(z.string(), z.string());
export interface BatchCase {
  /** Reads a file by its path relative to the case's folder; absolute paths as they are. */
  readonly reader: FileReader;
  /** Absolute path of the case's folder. */
  readonly folder: string;
  /** Names of the files in the folder. */
  readonly names: readonly string[];
}

/**
 * Converts one folder of a batch: `compose.yml` or `compose.<n>.yml` in order, `env.json`, `externals.json` and `case.json`
 * (stack, files, stdin). Gives the text of its result file: the objects, or `{"error", "exitCode": 1}`.
 */
export async function convertBatchCase(batch: BatchCase): Promise<string> {
  const result = await convertCase(await readBatchCase(batch));
  return exactJson(resultFile(result));
}

function resultFile(result: ConvertCaseResult): object {
  if ('error' in result) return { error: result.error.message, exitCode: 1, ...(result.deviations && { deviations: result.deviations }) };
  const { warnings: _warnings, ...objects } = result;
  return objects;
}

/** What a folder of a batch asks for. Throws `usage/invalid` when it has no compose file or one of its JSON files is not as expected. */
export async function readBatchCase({ reader, folder, names }: BatchCase): Promise<ConvertCaseInput> {
  const read = async <T>(name: string, schema: z.ZodType<T>, absent: T): Promise<T> =>
    names.includes(name) ? parseJson(await reader.read(name), name, schema) : absent;
  const settings = await read('case.json', CaseSettings, { stack: 'demo' });
  const files = (settings.files ?? composeFiles(names)).flatMap((file) => file.split(','));
  const [first] = files;
  if (first === undefined)
    throw new HivekeepError('usage/invalid', 'expected compose.yml, or compose.1.yml and so on, in the folder of the case');
  const slash = first.lastIndexOf('/');
  return {
    reader: settings.stdin === undefined ? reader : withStdin(reader, settings.stdin),
    files,
    workingDir: slash < 0 ? folder : `${folder}/${first.slice(0, slash)}`,
    env: await read('env.json', Environment, {}),
    stack: settings.stack,
    externals: await read('externals.json', Externals, {}),
    dialect: 'docker',
  };
}

function composeFiles(names: readonly string[]): string[] {
  const numbered = names.filter((name) => /^compose\.\d+\.ya?ml$/.test(name));
  if (numbered.length === 0) return names.filter((name) => /^compose\.ya?ml$/.test(name));
  return numbered.sort((a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]));
}

/** `-` is standard input, which a case keeps in a file. */
function withStdin(reader: FileReader, stdin: string): FileReader {
  return { read: (path) => reader.read(path === '-' ? stdin : path) };
}

function parseJson<T>(bytes: Uint8Array, name: string, schema: z.ZodType<T>): T {
  let data: unknown;
  try {
    data = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new HivekeepError('usage/invalid', `expected JSON in ${name}`, { cause });
  }
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new HivekeepError('usage/invalid', `${name} is not as expected: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
