/** What a log line is about. Only plain values: an object could carry more than its author knows. */
export interface LogFields {
  readonly application?: string | undefined;
  readonly swarm?: string | undefined;
  readonly release?: string | undefined;
  readonly request?: string | undefined;
  readonly node?: string | undefined;
  readonly error?: unknown;
  readonly [field: string]: unknown;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each line. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  readonly format: 'json' | 'text';
  readonly level?: LogLevel;
  readonly fields?: LogFields;
  /** Takes one line without its end; standard error when absent (stdout belongs to data). */
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
const MAX_VALUE = 4_000;
const MAX_SCANNED = 64_000;

/** Structured lines, JSON or text. Values that are no plain scalars or errors are left out by name, never printed. */
export function createLogger({ format, level = 'info', fields = {}, write = toStderr, now = () => new Date() }: LoggerOptions): Logger {
  const log = (at: LogLevel, message: string, more: LogFields = {}) => {
    if (LEVELS.indexOf(at) < LEVELS.indexOf(level)) return;
    const entries = Object.entries({ ...fields, ...more }).flatMap(([key, value]) => plain(key, value));
    const line = { time: now().toISOString(), level: at, message: masked(message), ...Object.fromEntries(entries) };
    write(format === 'json' ? JSON.stringify(line) : asText(line));
  };
  return {
    debug: (message, more) => log('debug', message, more),
    info: (message, more) => log('info', message, more),
    warn: (message, more) => log('warn', message, more),
    error: (message, more) => log('error', message, more),
    child: (more) => createLogger({ format, level, fields: { ...fields, ...more }, write, now }),
  };
}

/** Drops every line: for tests and for callers that bring no logger. */
export const silentLogger: Logger = createLogger({ format: 'json', write: () => undefined });

function plain(key: string, value: unknown): [string, string | number | boolean][] {
  if (value === undefined || value === null) return [];
  if (value instanceof Error) return errorFields(key, value);
  if (typeof value === 'string') return [[key, masked(value)]];
  if (typeof value === 'number' || typeof value === 'boolean') return [[key, value]];
  return [[key, `[${typeof value}]`]];
}

/** The message of an error and of its causes, the code when there is one, and where it was thrown. */
function errorFields(key: string, error: Error): [string, string][] {
  const messages: string[] = [];
  for (let link: unknown = error; link instanceof Error && messages.length < 5; link = link.cause) messages.push(link.message);
  const code = 'code' in error && typeof error.code === 'string' ? ([['code', error.code]] as [string, string][]) : [];
  const place = (error.stack ?? '').split('\n').find((line) => line.trimStart().startsWith('at '));
  return [[key, masked(messages.join(': '))], ...code, ...(place ? ([['at', place.trim()]] as [string, string][]) : [])];
}

/** User info and query of URLs stay out whoever built the text; long values are cut. The patterns take linear time on any text. */
function masked(text: string): string {
  const bare = text
    .slice(0, MAX_SCANNED)
    .replace(/:\/\/[^/@\s]+@/g, '://')
    .replace(/(:\/\/[^\s?#]{1,2000})\?[^\s#]*/g, '$1');
  return bare.length > MAX_VALUE || text.length > MAX_SCANNED ? `${bare.slice(0, MAX_VALUE)}… (${text.length} characters)` : bare;
}

function asText({ time, level, message, ...rest }: Record<string, string | number | boolean>): string {
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${/^[\w./:@-]+$/.test(String(value)) ? value : JSON.stringify(value)}`);
  return [time, String(level).toUpperCase().padEnd(5), String(message).replaceAll('\n', '\\n'), ...fields].join(' ');
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
