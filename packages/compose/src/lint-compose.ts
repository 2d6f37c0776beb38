import { HivekeepError, type Issue, type Warning } from '@hivekeep/contracts';
import type { LoadInput } from './api.ts';
import { convertModel } from './convert/convert-model.ts';
import { reportMistakes } from './lint/report-mistakes.ts';
import { warnOfRefusals } from './lint/warn-of-refusals.ts';
import { warnOfContents } from './lint/warn-of-values.ts';
import { loadModel } from './load/load-model.ts';
import { Problems } from './problems.ts';

export interface Findings {
  /** Why the files cannot be used; empty when they can. */
  readonly errors: readonly Issue[];
  /** With rule ids: what is ignored, what deviates, what an engine would refuse later. */
  readonly warnings: readonly Warning[];
}

/** Everything there is to say about compose files. Throws what the reader throws when the source cannot be reached. */
export async function lintCompose(input: LoadInput): Promise<Findings> {
  const collected = new Problems();
  try {
    const { model, configs, secrets, problems } = await loadModel({ ...input, problems: collected });
    const objects = convertModel({ stack: input.stack, model, contents: { configs: {}, secrets: {} }, problems });
    reportMistakes(model, problems);
    problems.refuse();
    warnOfRefusals(input.stack, model, objects, problems);
    warnOfContents('configs', configs, problems);
    warnOfContents('secrets', secrets, problems);
    return { errors: [], warnings: collected.warnings };
  } catch (error) {
    if (!HivekeepError.is(error, 'compose/invalid', 'compose/unsupported')) throw error;
    return { errors: error.issues ?? [{ message: error.message }], warnings: collected.warnings };
  }
}
