import { testImage } from '@hivekeep/testkit';

/** A service that runs until it is stopped, and stops at once. */
export const sleeper = { image: testImage, command: ['sleep', '100000'], init: true, stop_grace_period: '1s' };

/** A compose file as text: JSON is YAML. */
export function stackFile(services: Record<string, object>, rest: object = {}): string {
  return JSON.stringify({ services, ...rest }, null, 2);
}
