import { resolve } from 'node:path';

/** The program as it is shipped; `./hivekeep` builds it. */
export const program = resolve(import.meta.dirname, '../../../apps/cli/out/main.js');

/** The environment in which Node.js runs one of the clocks beside this file before the program. */
export function preload(clock: 'suspended-clock' | 'shifted-clock'): Record<string, string> {
  return { NODE_OPTIONS: `--import=${resolve(import.meta.dirname, `${clock}.ts`)}` };
}
