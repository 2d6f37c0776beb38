import { readFile, stat } from 'node:fs/promises';
import { type LoadedAppSet, loadAppSet } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { issueLine } from '../failure.ts';
import { type Format, print } from '../output/print.ts';
import { table } from '../output/table.ts';

export interface ValidateFlags {
  readonly file: string;
  readonly output: Format;
  readonly allowLocalGit?: boolean;
  readonly allowInsecureGit?: readonly string[];
}

/** A little over what a set may have, so that the loader itself says that it is too large. */
const MAX_READ_BYTES = 8 * 1024 * 1024;

/** Prints the applications of a valid set; throws `appset/*` with every problem of another. */
export async function validate(flags: ValidateFlags): Promise<void> {
  const { applications, warnings } = await readAppSet(flags);
  for (const warning of warnings) process.stderr.write(`warning: ${issueLine(warning)}\n`);
  await print(flags.output, { applications, warnings }, () =>
    table(
      ['NAME', 'SWARM', 'SOURCE', 'REVISION', 'AUTOMATED'],
      applications.map((spec) => [
        spec.name,
        spec.destination.swarm ?? '',
        spec.source.repoURL,
        spec.source.revision,
        spec.syncPolicy.automated ? 'yes' : 'no',
      ]),
    ),
  );
}

/** Loads an app set from a file of this machine. Throws `appset/*`. */
export async function readAppSet({ file, allowLocalGit = false, allowInsecureGit = [] }: ValidateFlags): Promise<LoadedAppSet> {
  try {
    const { size } = await stat(file);
    if (size > MAX_READ_BYTES) throw new HivekeepError('appset/too-large', `'${file}' has ${size} bytes, which no app set may have`);
    const bytes = await readFile(file);
    return loadAppSet(bytes, { file, mode: 'offline', urlPolicy: { allowLocal: allowLocalGit, insecureHosts: allowInsecureGit } });
  } catch (cause) {
    if (cause instanceof HivekeepError) throw cause;
    throw new HivekeepError('appset/not-found', `'${file}' cannot be read: ${(cause as Error).message}`, { cause });
  }
}
