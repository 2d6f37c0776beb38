import { HivekeepError, type Rpc } from '@hivekeep/contracts';
import { patternOf } from './handle.ts';

/**
 * Refuses to start a service whose contracts do not have exactly one handler each, or that answers something else.
 * Nest itself keeps the last of two handlers without a word.
 *
 * @param found - the pattern of every handler that was registered, repetitions included
 */
export function assertHandlers(found: readonly string[], contracts: readonly Rpc[]): void {
  const expected = new Set(contracts.map(patternOf));
  const count = (pattern: string) => found.filter((name) => name === pattern).length;
  const wrong = [...new Set([...expected, ...found])]
    .filter((pattern) => !expected.has(pattern) || count(pattern) !== 1)
    .map((pattern) =>
      expected.has(pattern) ? `${pattern} has ${count(pattern)} handlers, expected 1` : `${pattern} is no contract of this service`,
    );
  if (wrong.length > 0) throw new HivekeepError('internal', `the service can't start: ${wrong.join('; ')}`);
}
