import { loadAppSet, type UrlPolicy } from '@hivekeep/application';
import type { AppSetParser } from './app-set.ts';

/** The parser of whole app sets under this service's rules for repository URLs. */
export function parseAppSet(urlPolicy: UrlPolicy): AppSetParser {
  return ({ bytes, file }) => loadAppSet(bytes, { file, mode: 'online', urlPolicy }).applications;
}
