import { resolve } from 'node:path';

/** The program as it is shipped; `./hivekeep` builds it. */
export const program = resolve(import.meta.dirname, '../../../apps/cli/out/main.js');
