import { HivekeepError } from '@hivekeep/contracts';
import type { FileReader } from '../api.ts';
import type { Path, Problems } from '../problems.ts';

/** Answers of a reader that concern the file that was asked for; others end the whole load. */
const READ_REFUSALS = new Set<string>(['source/path-missing', 'source/refused', 'source/too-large', 'source/invalid']);

/** The files of one load, through its reader. */
export class SourceFiles {
  /** Every path read, in order. */
  readonly reads: string[] = [];
  readonly #reader: FileReader;

  constructor(reader: FileReader) {
    this.#reader = reader;
  }

  /**
   * The bytes of a file; when it cannot be read, that is said of `where`, unless it is missing and need not be there. Throws
   * what concerns more than this file.
   */
  async read(path: string, where: Path, problems: Problems, required = true): Promise<Uint8Array | undefined> {
    try {
      return await this.#take(path);
    } catch (error) {
      refuseOther(error);
      if (!required && HivekeepError.is(error, 'source/path-missing')) return undefined;
      problems.add(where, `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #take(path: string): Promise<Uint8Array> {
    const bytes = await this.#reader.read(path);
    if (!this.reads.includes(path)) this.reads.push(path);
    return bytes;
  }
}

function refuseOther(error: unknown): void {
  if (error instanceof HivekeepError && !READ_REFUSALS.has(HivekeepError.from(error).code)) throw error;
}
