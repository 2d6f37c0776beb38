type Log = (message: string, fields?: Record<string, unknown>) => void;

/** What the gateway needs of a logger; secrets and query strings are never handed to it. */
export interface GatewayLogger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}
