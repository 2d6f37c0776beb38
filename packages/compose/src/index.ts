export * from './api.ts';
export * from './batch-case.ts';
export { Externals } from './convert/externals.ts';
export * from './convert-case.ts';
export * from './convert-stack.ts';
export * from './engine.ts';
export * from './exact-json.ts';
export * from './load-compose.ts';
export * from './rotate-names.ts';
