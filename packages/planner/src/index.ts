export * from './live.ts';
export * from './plan.ts';
