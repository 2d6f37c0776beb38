import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { convertBatchCase, convertCase, Externals, exactJson } from '@hivekeep/compose';
import { type Dialect, HivekeepError } from '@hivekeep/contracts';
import { issueLine } from '../failure.ts';
import { folderReader, readEnvironment, readerWithInput, readJson } from './compose-input.ts';

interface ConvertFlags {
  readonly file?: string[];
  readonly stack?: string;
  readonly envJson?: string;
  readonly externals?: string;
  readonly dialect: Dialect;
  readonly output: 'json' | 'yaml';
  readonly batch?: string;
  readonly out?: string;
}

/** Prints the swarm objects of some files, or writes those of every case of a batch. Warnings go to stderr. */
export async function convert(flags: ConvertFlags): Promise<void> {
  if (flags.batch !== undefined) return convertBatch(flags.batch, flags.out);
  const [first, ...rest] = flags.file ?? [];
  if (first === undefined || flags.stack === undefined)
    throw new HivekeepError('usage/invalid', 'expected -f FILE and --stack NAME, or --batch CASES and --out DIRECTORY');
  const result = await convertCase({
    reader: readerWithInput(process.cwd()),
    files: [first, ...rest],
    workingDir: dirname(resolve(first)),
    env: await readEnvironment(flags.envJson),
    externals: flags.externals === undefined ? {} : await readJson(flags.externals, Externals),
    stack: flags.stack,
    dialect: flags.dialect,
  });
  if ('error' in result) throw result.error;
  const { warnings, deviations = [], ...objects } = result;
  for (const { id, paths } of deviations) process.stderr.write(`deviation ${id}: ${paths.join(', ')}\n`);
  for (const warning of warnings) process.stderr.write(`warning: ${issueLine(warning)}\n`);
  process.stdout.write(flags.output === 'yaml' ? await yaml(objects) : `${exactJson(objects)}\n`);
}

/** A case that cannot be read gets a result too: the batch ends well when each has one. */
async function convertBatch(cases: string, out: string | undefined): Promise<void> {
  if (out === undefined) throw new HivekeepError('usage/invalid', '--batch needs --out DIRECTORY for its results');
  const root = resolve(cases);
  const folders = (await readDirectory(root)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  await mkdir(out, { recursive: true }).catch((cause: Error) => {
    throw new HivekeepError('usage/invalid', `'${out}' cannot be made: ${cause.message}`, { cause });
  });
  for (const name of folders.sort()) {
    const folder = join(root, name);
    const names = (await readDirectory(folder)).map((entry) => entry.name);
    const result = await convertBatchCase({ reader: folderReader(folder), folder, names }).catch((thrown: unknown) =>
      JSON.stringify({ error: HivekeepError.from(thrown).message, exitCode: 1 }),
    );
    await writeFile(join(out, `${name}.json`), `${result}\n`);
  }
  process.stderr.write(`${folders.length} cases converted into ${out}\n`);
}

async function readDirectory(path: string) {
  return readdir(path, { withFileTypes: true }).catch((cause: Error) => {
    throw new HivekeepError('usage/invalid', `'${path}' cannot be read: ${cause.message}`, { cause });
  });
}

async function yaml(value: unknown): Promise<string> {
  return (await import('yaml')).stringify(value, { lineWidth: 0 });
}
