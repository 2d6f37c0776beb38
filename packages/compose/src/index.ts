export * from './api.ts';
export * from './engine.ts';
