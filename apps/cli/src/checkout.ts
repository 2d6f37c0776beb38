import { resolve } from 'node:path';

/** The checkout's root, as an absolute path. `src` and `out` lie side by side, so it is the same from source and from the build. */
export const checkout = resolve(import.meta.dirname, '../../..');
