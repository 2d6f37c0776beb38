import { parseDuration } from '@hivekeep/contracts';
import { z } from 'zod';

/** A Go duration on the command line, milliseconds in the program. */
export function duration(fallback: string, rule: 'positive' | 'zero allowed' = 'positive') {
  return z
    .string()
    .default(fallback)
    .transform((text, context) => {
      const ms = parseDuration(text);
      if (ms !== undefined && (ms > 0 || (rule === 'zero allowed' && ms === 0))) return ms;
      context.addIssue({
        code: 'custom',
        message: `expected a ${rule === 'positive' ? 'positive ' : ''}duration like 90s or 3m, found '${text}'`,
      });
      return z.NEVER;
    })
    .meta({ metavar: 'duration' });
}
