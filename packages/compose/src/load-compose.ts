import type { LoadedStack, LoadInput } from './api.ts';
import { convertModel } from './convert/convert-model.ts';
import { toDocument } from './document.ts';
import { reportMistakes } from './lint/report-mistakes.ts';
import { loadModel } from './load/load-model.ts';
import { composeError, Problems, refuseHuge } from './problems.ts';
import { findings } from './rules.ts';

/**
 * Reads compose files in the dialect that is named: merged, interpolated from `env` alone, env files resolved,
 * contents of configs and secrets beside the document. Throws `compose/invalid` with every issue found (file, line, column,
 * path), `compose/unsupported` when all that is wrong are keys that the dialect does not have, and what the reader throws when the source cannot be reached.
 */
export async function loadCompose(input: LoadInput): Promise<LoadedStack> {
  const { model, configs, secrets, reads, problems } = await loadModel({ ...input, problems: new Problems() });
  refuseHuge(model, problems);
  problems.refuse();
  convertModel({ stack: input.stack, model, contents: { configs: {}, secrets: {} }, problems });
  reportMistakes(model, problems);
  problems.refuse();
  const { warnings } = problems;
  if (input.strict && findings(warnings).length > 0) throw composeError(findings(warnings));
  return { document: toDocument(model), configs, secrets, reads, warnings };
}
