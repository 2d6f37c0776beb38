export { AppSet } from '../app-set/app-set.ts';
export type { AppSetContent, AppSetReader } from '../app-set/app-set-reader.ts';
