import { TemplateError } from '../failure.ts';
import { attacks, matching, patterns } from './attacks.ts';
import { renderText } from './render-text.ts';

/** What came of all attacks, and the most memory that the process ever had. */
export interface Outcome {
  readonly refused: number;
  readonly answered: number;
  readonly peakMiB: number;
}

/** `node run-attacks.ts`: a process of its own, since tests share theirs. Prints an `Outcome`. */
let refused = 0;
for (const template of Object.values(attacks)) {
  try {
    renderText(template);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    refused++;
  }
}
const answered = patterns.filter(([pattern, letters]) => /true|false/.test(renderText(matching(pattern, letters)))).length;
process.stdout.write(JSON.stringify({ refused, answered, peakMiB: process.resourceUsage().maxRSS / 1024 } satisfies Outcome));
