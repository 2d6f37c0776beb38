import { type Findings, findings, lintCompose } from '@hivekeep/compose';
import { type Dialect, HivekeepError } from '@hivekeep/contracts';
import { EXIT } from '../exit-status.ts';
import { Exit, issueLine } from '../failure.ts';
import { readEnvironment, readerWithInput } from './compose-input.ts';

interface LintFlags {
  readonly file?: string[];
  readonly stack: string;
  readonly envJson?: string;
  readonly dialect: Dialect;
  readonly strict: boolean;
  readonly output: 'text' | 'json';
}

/** Prints everything there is to say about some files. Exit 1 when they cannot be used, with `--strict` for warnings too. */
export async function lint(flags: LintFlags): Promise<void> {
  const [first, ...rest] = flags.file ?? [];
  if (first === undefined) throw new HivekeepError('usage/invalid', 'expected -f FILE, once for each file that is merged');
  const { errors, warnings } = await lintCompose({
    files: [first, ...rest],
    reader: readerWithInput(process.cwd()),
    env: await readEnvironment(flags.envJson),
    dialect: flags.dialect,
    stack: flags.stack,
  });
  const found: Findings = { errors, warnings };
  process.stdout.write(flags.output === 'json' ? `${JSON.stringify(found, null, 2)}\n` : textOf(found));
  if (errors.length > 0 || (flags.strict && findings(warnings).length > 0)) throw new Exit(EXIT.differs);
}

function textOf({ errors, warnings }: Findings): string {
  const lines = [...errors.map((issue) => `error: ${issueLine(issue)}`), ...warnings.map((issue) => `warning: ${issueLine(issue)}`)];
  return lines.map((line) => `${line}\n`).join('');
}
