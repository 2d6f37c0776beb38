import { z } from 'zod';

/** Enums on the wire: a value this reader does not know reads as `unknown`, so that older clients live on. `members`: those it knows. */
export const open = <const T extends readonly [string, ...string[]]>(...members: T) =>
  Object.assign(
    z
      .string()
      .transform((text): T[number] | 'unknown' => ((members as readonly string[]).includes(text) ? (text as T[number]) : 'unknown')),
    { members },
  );
