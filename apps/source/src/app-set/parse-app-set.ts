import { loadAppSet, type UrlPolicy } from '@hivekeep/application';
import type { Warning } from '@hivekeep/contracts';
import type { AppSetParser } from './app-set.ts';

/** The parser of whole app sets under this service's rules for repository URLs. `warn` is told what is taken otherwise than written. */
export function parseAppSet(urlPolicy: UrlPolicy, warn: (warning: Warning) => void): AppSetParser {
  return ({ bytes, file }) => {
    const { applications, warnings } = loadAppSet(bytes, { file, mode: 'online', urlPolicy });
    for (const warning of warnings) warn(warning);
    return applications;
  };
}
