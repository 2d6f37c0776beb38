export { Board } from '../board.ts';
export { ReconcilerOptions } from '../config.ts';
export { Reconciler } from '../reconciler.ts';
export { SourceClient } from '../source-client.ts';
export type { TermParts } from '../term-parts.ts';
