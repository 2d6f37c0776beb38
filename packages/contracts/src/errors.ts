import { z } from 'zod';

/**
 * Every code that may cross a process boundary: the status the gateway answers with, and what the caller does next.
 * `soon`: who had to answer did not, which says nothing of what was asked; `later` may succeed when tried again, `never` needs a person
 * or a new revision, `stop` ends the process' term.
 */
export const errorCodes = {
  'application/unknown': { http: 404, retry: 'never' },
  'application/draining': { http: 409, retry: 'later' },
  'application/unsupported': { http: 501, retry: 'never' },
  'appset/invalid': { http: 422, retry: 'never' },
  'appset/not-found': { http: 404, retry: 'later' },
  'appset/too-large': { http: 422, retry: 'never' },
  'appset/stale': { http: 503, retry: 'soon' },
  'artifact/missing': { http: 409, retry: 'soon' },
  'artifact/too-large': { http: 422, retry: 'never' },
  'auth/forbidden': { http: 403, retry: 'never' },
  'auth/unauthorized': { http: 401, retry: 'never' },
  'bus/busy': { http: 503, retry: 'soon' },
  'bus/invalid-message': { http: 502, retry: 'never' },
  'bus/no-answer': { http: 503, retry: 'soon' },
  'bus/timeout': { http: 504, retry: 'soon' },
  'bus/too-large': { http: 502, retry: 'never' },
  'bus/unavailable': { http: 503, retry: 'soon' },
  'chart/invalid': { http: 422, retry: 'never' },
  'chart/not-found': { http: 422, retry: 'later' },
  cancelled: { http: 503, retry: 'later' },
  'compose/invalid': { http: 422, retry: 'never' },
  'compose/unsupported': { http: 422, retry: 'never' },
  'config/invalid': { http: 422, retry: 'never' },
  internal: { http: 500, retry: 'later' },
  'lease/deposed': { http: 503, retry: 'stop' },
  'lease/held': { http: 503, retry: 'soon' },
  'lease/mismatch': { http: 409, retry: 'stop' },
  'node/unreachable': { http: 503, retry: 'soon' },
  'node/unknown': { http: 404, retry: 'never' },
  'node/ticket': { http: 409, retry: 'later' },
  'node/stale-epoch': { http: 409, retry: 'stop' },
  'policy/refused': { http: 403, retry: 'never' },
  'prune/unknown': { http: 404, retry: 'never' },
  'prune/held': { http: 409, retry: 'never' },
  'prune/unsupported': { http: 501, retry: 'never' },
  'record/invalid': { http: 422, retry: 'never' },
  'record/too-large': { http: 422, retry: 'never' },
  'record/budget': { http: 422, retry: 'never' },
  'release/foreign': { http: 409, retry: 'never' },
  'release/incompatible': { http: 422, retry: 'never' },
  'release/unknown': { http: 404, retry: 'never' },
  'revision/unfit': { http: 409, retry: 'never' },
  'revision/unknown': { http: 404, retry: 'never' },
  'rollback/pending': { http: 409, retry: 'later' },
  'rollout/failed': { http: 409, retry: 'never' },
  'rollout/timeout': { http: 504, retry: 'later' },
  'source/auth': { http: 502, retry: 'later' },
  'source/behind': { http: 503, retry: 'soon' },
  'source/invalid': { http: 422, retry: 'never' },
  'source/path-missing': { http: 422, retry: 'never' },
  'source/refused': { http: 422, retry: 'never' },
  'source/revision-unknown': { http: 422, retry: 'later' },
  'source/timeout': { http: 504, retry: 'soon' },
  'source/too-large': { http: 422, retry: 'never' },
  'source/unreachable': { http: 502, retry: 'soon' },
  'source/unsupported': { http: 501, retry: 'never' },
  'state/too-large': { http: 422, retry: 'never' },
  'swarm/conflict': { http: 409, retry: 'later' },
  'swarm/exists': { http: 409, retry: 'later' },
  'swarm/frozen': { http: 409, retry: 'never' },
  'swarm/gone': { http: 404, retry: 'never' },
  'swarm/in-use': { http: 409, retry: 'later' },
  'swarm/invalid': { http: 422, retry: 'never' },
  'swarm/no-leader': { http: 503, retry: 'soon' },
  'swarm/not-a-manager': { http: 503, retry: 'never' },
  'swarm/timeout': { http: 504, retry: 'soon' },
  'swarm/unreachable': { http: 503, retry: 'soon' },
  'swarm/unknown': { http: 404, retry: 'never' },
  'swarm/unsupported': { http: 501, retry: 'never' },
  'usage/invalid': { http: 400, retry: 'never' },
  'yaml/invalid': { http: 422, retry: 'never' },
} as const satisfies Record<string, { http: number; retry: 'never' | 'later' | 'soon' | 'stop' }>;
export type ErrorCode = keyof typeof errorCodes;

/** One of several problems found at once. `line` and `column` count from 1. */
export const Issue = z.object({
  file: z.string().optional(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  /** The application concerned, in an app set. */
  application: z.string().optional(),
  /** Where in the document: `applications[2].source.revision`, `services.web.ports[1]`. */
  path: z.string().optional(),
  rule: z.string().optional(),
  message: z.string(),
});
export type Issue = z.infer<typeof Issue>;

export const WireError = z.object({
  code: z.string(),
  message: z.string(),
  issues: z.array(Issue).optional(),
});
export type WireError = z.infer<typeof WireError>;

/** The one error type. What it says was expected, found and to be done; its code decides retry, hold or stop. */
export class HivekeepError extends Error {
  override readonly name = 'HivekeepError';
  readonly code: ErrorCode;
  readonly issues: readonly Issue[] | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { issues?: readonly Issue[] } = {}) {
    super(message, options);
    this.code = code;
    this.issues = options.issues;
  }

  /** The cause stays behind: it belongs in this process's log and may hold tokens. */
  toWire(): WireError {
    return {
      code: this.code,
      message: this.message,
      ...(this.issues && { issues: [...this.issues] }),
    };
  }

  /** An error of ours as it is, one from the wire rebuilt, anything else as `internal` with its cause kept back. */
  static from(thrown: unknown): HivekeepError {
    if (thrown instanceof HivekeepError) return thrown;
    const wire = WireError.safeParse(thrown);
    if (wire.success && !(thrown instanceof Error)) {
      const code = wire.data.code in errorCodes ? (wire.data.code as ErrorCode) : 'internal';
      return new HivekeepError(code, wire.data.message, wire.data.issues ? { issues: wire.data.issues } : {});
    }
    return new HivekeepError('internal', 'unexpected failure; the log of the service has the cause', { cause: thrown });
  }

  /** Whether `thrown` is an error of ours with one of these codes. */
  static is(thrown: unknown, ...codes: ErrorCode[]): thrown is HivekeepError {
    return thrown instanceof HivekeepError && codes.includes(thrown.code);
  }
}
