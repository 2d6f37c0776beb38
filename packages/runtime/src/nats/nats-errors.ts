import { HivekeepError } from '@hivekeep/contracts';
import { errors } from '@nats-io/transport-node';

/** The one place where a failure of the NATS client becomes ours. `doing` says what was tried, and stands in the message. */
export function natsError(thrown: unknown, doing: string): HivekeepError {
  if (thrown instanceof HivekeepError) return thrown;
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (isA(errors.NoRespondersError, thrown, cause) || (thrown instanceof errors.RequestError && thrown.isNoResponders()))
    return new HivekeepError('bus/no-answer', `${doing}: nobody answers`, { cause: thrown });
  if (isA(errors.TimeoutError, thrown, cause)) return new HivekeepError('bus/timeout', `${doing}: no answer in time`, { cause: thrown });
  if (isA(errors.PermissionViolationError, thrown, cause) || isA(errors.AuthorizationError, thrown, cause))
    return new HivekeepError('auth/forbidden', `${doing}: the bus refuses this to these credentials`, { cause: thrown });
  if (isA(errors.InvalidArgumentError, thrown, cause) && String(cause).includes('max_payload'))
    return new HivekeepError('bus/too-large', `${doing}: larger than the server's max_payload`, { cause: thrown });
  return new HivekeepError('bus/unavailable', `${doing} failed; the bus is tried again`, { cause: thrown });
}

function isA<T extends Error>(type: new (...args: never[]) => T, ...candidates: unknown[]): boolean {
  return candidates.some((candidate) => candidate instanceof type);
}
