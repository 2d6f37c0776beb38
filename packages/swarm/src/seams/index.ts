export * from './backend.ts';
export * from './capabilities.ts';
export * from './driver.ts';
export * from './engine.ts';
export * from './node-reach.ts';
export * from './registry.ts';
export * from './target.ts';
