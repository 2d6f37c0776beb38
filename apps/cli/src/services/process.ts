import { createLogger, type Logger } from '@hivekeep/runtime';
import manifest from '../../package.json' with { type: 'json' };
import type { SettingsOf } from '../settings/shapes.ts';

export const version = manifest.version;

/** The log of a process, on stderr: stdout is data alone. */
export function loggerOf({ logLevel, logFormat }: Pick<SettingsOf<'source'>, 'logLevel' | 'logFormat'>): Logger {
  return createLogger({ level: logLevel, format: logFormat });
}
