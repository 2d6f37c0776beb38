import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.ts';

/** Nest's own lines in our log: its start-up chatter as debug, its complaints as they are. */
export function nestLogger(logger: Logger): LoggerService {
  const fields = (params: unknown[]) => ({ nest: params.filter((param) => typeof param === 'string').join(' ') });
  return {
    log: (message: unknown, ...params: unknown[]) => logger.debug(String(message), fields(params)),
    debug: (message: unknown, ...params: unknown[]) => logger.debug(String(message), fields(params)),
    verbose: (message: unknown, ...params: unknown[]) => logger.debug(String(message), fields(params)),
    warn: (message: unknown, ...params: unknown[]) => logger.warn(String(message), fields(params)),
    error: (message: unknown, ...params: unknown[]) => logger.error(String(message), fields(params)),
    fatal: (message: unknown, ...params: unknown[]) => logger.error(String(message), fields(params)),
  };
}
