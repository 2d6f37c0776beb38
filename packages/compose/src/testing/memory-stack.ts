import { HivekeepError } from '@hivekeep/contracts';
import type { FileReader, LoadedStack, LoadInput, StackObjects } from '../api.ts';
import { type ConvertCaseInput, type ConvertCaseResult, convertCase } from '../convert-case.ts';
import { convertStack } from '../convert-stack.ts';
import { loadCompose } from '../load-compose.ts';
import { rotateNames } from '../rotate-names.ts';

/** Files of a test, by path. */
export type Files = Readonly<Record<string, string>>;
type Options = Partial<LoadInput>;

export function memoryReader(files: Files): FileReader {
  return {
    read: async (path) => {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      if (text === undefined) throw new HivekeepError('source/path-missing', `no file ${path} in the test`);
      return Buffer.from(text);
    },
  };
}

const composeFiles = (files: Files) => Object.keys(files).filter((path) => path.endsWith('.yml'));

/** Loads every `.yml` of the files, in their order, as the stack `demo`. */
export function load(files: Files, options: Options = {}): Promise<LoadedStack> {
  return loadCompose({ files: composeFiles(files), reader: memoryReader(files), env: {}, dialect: 'docker', stack: 'demo', ...options });
}

/** What the stack `demo` of the files becomes, by way of its manifest. */
export async function deploy(files: Files, options: Options = {}): Promise<StackObjects> {
  const rotated = rotateNames(await load(files, options), { stack: 'demo', secretDigest: () => 'd'.repeat(64) });
  return convertStack({ stack: 'demo', document: rotated.manifest, files: rotated.files });
}

/** What `compose convert` gives for the files, which lie in `/folder`. */
export function convertFiles(files: Files, options: Partial<ConvertCaseInput> = {}): Promise<ConvertCaseResult> {
  const input = {
    files: composeFiles(files),
    reader: memoryReader(files),
    env: {},
    dialect: 'docker',
    stack: 'demo',
    workingDir: '/folder',
  } as const;
  return convertCase({ ...input, ...options });
}

/** One service `web` with these lines, each indented as a member of it. */
export function service(...lines: string[]): string {
  return ['services:', '  web:', '    image: nginx:1.27', ...lines.map((line) => `    ${line}`), ''].join('\n');
}
