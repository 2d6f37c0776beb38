import { type ErrorCode, errorCodes } from '@hivekeep/contracts';
import { EXIT, type ExitCode } from './exit-status.ts';

const byCode: Partial<Record<ErrorCode, ExitCode>> = {
  'auth/forbidden': EXIT.forbidden,
  'auth/unauthorized': EXIT.forbidden,
  'bus/no-answer': EXIT.unreachable,
  'bus/unavailable': EXIT.unreachable,
  'config/invalid': EXIT.usage,
  'node/unreachable': EXIT.unreachable,
  'rollout/failed': EXIT.rollout,
  'source/unreachable': EXIT.unreachable,
  'swarm/no-leader': EXIT.unreachable,
  'swarm/unreachable': EXIT.unreachable,
  'usage/invalid': EXIT.usage,
  cancelled: EXIT.timeout,
  internal: EXIT.internal,
};

/** The exit status of a failure with this code; what is refused or found wrong is 1. */
export function exitCodeOf(code: string): ExitCode {
  const known = byCode[code as ErrorCode];
  if (known !== undefined) return known;
  if (!(code in errorCodes)) return EXIT.internal;
  const { http } = errorCodes[code as ErrorCode];
  if (http === 404) return EXIT.notFound;
  return http === 504 ? EXIT.timeout : EXIT.differs;
}
