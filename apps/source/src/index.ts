export { SourceConfig } from './source-config.ts';
export { type SourceOptions, startSource } from './start-source.ts';
