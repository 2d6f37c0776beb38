import type { Environment } from '@hivekeep/gotemplate';

/** What may make two renders of equal inputs differ: the time, random numbers, keys. The caller's, so that rendering stays pure. */
export type RenderEnvironment = Pick<Environment, 'now' | 'localZone' | 'randomBytes' | 'crypto'>;

/** Far enough that year, month, day, hour, minute and second all change. */
const ANOTHER_TIME = 400n * 86_400_000_000_000n + 26_051_123_456_789n;

/** An environment that knows whether a template asked it for anything. */
export function watched(environment: RenderEnvironment): { readonly environment: RenderEnvironment; wasAsked(): boolean } {
  let asked = false;
  const note = <A extends unknown[], R>(answer: (...args: A) => R) => {
    return (...args: A): R => {
      asked = true;
      return answer(...args);
    };
  };
  const crypto = Object.fromEntries(
    Object.entries(environment.crypto).map(([name, answer]) => [name, note(answer as (...args: unknown[]) => unknown)]),
  );
  return {
    environment: {
      ...environment,
      now: note(environment.now),
      randomBytes: note(environment.randomBytes),
      crypto: crypto as Environment['crypto'], // the same functions under the same names
    },
    wasAsked: () => asked,
  };
}

/** The same environment more than a year later; its random numbers are others by themselves. */
export function atAnotherTime(environment: RenderEnvironment): RenderEnvironment {
  return { ...environment, now: () => environment.now() + ANOTHER_TIME };
}
