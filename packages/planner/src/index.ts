export * from './live.ts';
export * from './plan.ts';
export { familiarImage, sameImage } from './spec/image-reference.ts';
export type { NameIndex } from './spec/reference-equality.ts';
export * from './spec/spec-changes.ts';
