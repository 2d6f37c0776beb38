export { buildOffline, type OfflineBuild, type OfflineResult } from './build/build-offline.ts';
export { SourceConfig } from './source-config.ts';
export { type SourceOptions, startSource } from './start-source.ts';
