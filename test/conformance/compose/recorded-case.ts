import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { type BatchCase, convertBatchCase } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import { parseExact } from './parse-exact.ts';

/** One case as the docker CLI 28.2 answered it: its input, and what it sent or that it refused. */
export interface RecordedCase {
  readonly name: string;
  readonly input: BatchCase;
  /** What was sent; undefined when it was refused. */
  readonly expected: unknown;
  /** The case as a folder on disk: the one it is read from, or one that is written below `root`. */
  place(root: string): Promise<BatchCase>;
}

/** Where a packed case pretends to lie; deep enough for `../` in paths. */
const FOLDER = '/cases/a/b/c/d/e';
/** Folder of a case in recorded results, and folders above it. */
const CASE_FOLDER = /\{\{CASE_DIR\}\}((?:\/\.\.)*)(\/?)/g;

interface PackedCase {
  readonly case: string;
  readonly files: Record<string, string | { readonly base64: string }>;
  readonly folders?: readonly string[];
  readonly expected?: unknown;
}

/** Packed cases, one a line: `cases` are written by hand, `forms` go through the forms that one field or text may have. */
export async function readPackedCases(name: 'cases' | 'forms'): Promise<RecordedCase[]> {
  const text = await readFile(new URL(`./fixtures/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => unpack(parseExact(line) as PackedCase));
}

/** The cases of a corpus folder, one folder each; other people's files stay there. */
export async function readCorpusCases(corpus: string): Promise<RecordedCase[]> {
  const root = join(corpus, 'cases');
  return Promise.all((await readdir(root)).map((name) => readFolder(root, name)));
}

/** Converts a case as `compose convert --batch` does and reads its result file. */
export async function convertRecorded(recorded: RecordedCase): Promise<unknown> {
  return parseExact(await convertBatchCase(recorded.input));
}

function unpack(packed: PackedCase): RecordedCase {
  const folder = posix.join(FOLDER, packed.case);
  const read = async (path: string) => {
    const file = packed.files[posix.normalize(path)];
    if (file !== undefined) return typeof file === 'string' ? Buffer.from(file) : Buffer.from(file.base64, 'base64');
    throw new HivekeepError('source/path-missing', packed.folders?.includes(path) ? 'is a folder' : 'no such file');
  };
  const names = Object.keys(packed.files).filter((path) => !path.includes('/'));
  const input = { folder, names, reader: { read } };
  const place = async (root: string) => ({ ...input, folder: await writeCase(packed, join(root, folder)) });
  return { name: packed.case, input, expected: packed.expected && placed(packed.expected, folder), place };
}

async function writeCase({ files, folders = [] }: PackedCase, folder: string): Promise<string> {
  for (const path of folders) await mkdir(join(folder, path), { recursive: true });
  for (const [path, file] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof file === 'string' ? file : Buffer.from(file.base64, 'base64'));
  }
  return folder;
}

async function readFolder(root: string, name: string): Promise<RecordedCase> {
  const folder = join(root, name);
  const names = await readdir(folder);
  const expected = names.includes('expected.json') ? parseExact(await readFile(join(folder, 'expected.json'), 'utf8')) : undefined;
  const read = async (path: string) => {
    try {
      return await readFile(isAbsolute(path) ? path : join(folder, path));
    } catch (cause) {
      throw new HivekeepError('source/path-missing', 'cannot be read', { cause });
    }
  };
  const input = { folder, names, reader: { read } };
  return { name, input, expected: expected && placed(expected, folder), place: async () => input };
}

/** The recorded value with the case's folder in place of its mark. */
function placed(value: unknown, folder: string): unknown {
  if (typeof value === 'string')
    return value.replace(CASE_FOLDER, (_mark, up: string, slash: string) => posix.resolve(folder, `.${up}`) + slash);
  if (Array.isArray(value)) return value.map((item) => placed(item, folder));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, placed(item, folder)]));
}
