import { type ErrorCode, HivekeepError } from '@hivekeep/contracts';

/** A failed call as the HTTP layer knows it, before it becomes an error of ours. */
export interface EngineFailure {
  /** What was asked, for people: `update service 4nuw…`. Holds no payload. */
  readonly action: string;
  readonly status?: number | undefined;
  /** The daemon's `message`. */
  readonly text?: string | undefined;
  readonly cause?: unknown;
  readonly timedOut?: boolean;
  readonly cancelled?: boolean;
}

const MAX_TEXT = 300;

/**
 * Rules by text come before those by status: the daemon answers 500 for a stale version and 400 for an object in use.
 * Source: answers of Docker 20.10 (API 1.41), 26.1 (1.45) and 28.5 (1.51), which agree.
 */
const byText: readonly (readonly [RegExp, ErrorCode])[] = [
  [/update out of sequence/i, 'swarm/conflict'],
  [/does not have a leader|lost leader status|no elected (primary )?cluster leader/i, 'swarm/no-leader'],
  [/DeadlineExceeded|context deadline exceeded/i, 'swarm/timeout'],
  [/is not a swarm manager|not part of a swarm|swarm is encrypted|needs to be unlocked/i, 'swarm/not-a-manager'],
  [/is in use|volume in use|in use by/i, 'swarm/in-use'],
  [/AlreadyExists|already exists|name conflicts/i, 'swarm/exists'],
  [/(^|: |desc = )(network|service|config|secret|node|task|volume) \S+ not found|no such (volume|network|service)/i, 'swarm/gone'],
];

const byStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'swarm/invalid',
  403: 'swarm/invalid',
  404: 'swarm/gone',
  409: 'swarm/exists',
  501: 'swarm/unsupported',
  503: 'swarm/not-a-manager',
};

/** One error of ours for a failed daemon call; the daemon's text is cut and quoted, payloads never appear. */
export function engineError(failure: EngineFailure): HivekeepError {
  const options = failure.cause === undefined ? {} : { cause: failure.cause };
  if (failure.cancelled) return new HivekeepError('cancelled', `${failure.action}: cancelled`, options);
  if (failure.timedOut)
    return new HivekeepError('swarm/timeout', `${failure.action}: no answer from the daemon in time; the call may still be done`, options);
  if (failure.status === undefined)
    return new HivekeepError('swarm/unreachable', `${failure.action}: can't reach the daemon (${reasonOf(failure.cause)})`, options);
  const text = plainText(failure.text ?? '');
  return new HivekeepError(codeOf(failure.status, text), `${failure.action}: the daemon answered ${failure.status}: ${text}`, options);
}

function codeOf(status: number, text: string): ErrorCode {
  const rule = byText.find(([pattern]) => pattern.test(text));
  return rule?.[1] ?? byStatus[status] ?? 'internal';
}

/** The daemon's sentence without gRPC's frame; of bounded length, without control characters. */
function plainText(text: string): string {
  const sentence = text.replace(/^rpc error: code = (\w+) desc = /, '$1: ').replace(/\p{Cc}+/gu, ' ');
  return sentence.length > MAX_TEXT ? `${sentence.slice(0, MAX_TEXT)}…` : sentence;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error ? cause.name : 'unknown reason';
}
