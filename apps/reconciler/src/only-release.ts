import type { Status } from '@hivekeep/contracts';

/** The release of an application that has exactly one, as far as is known: what is said of the one is said of the other. */
export function onlyRelease({ releases = [] }: Status): string | undefined {
  return releases.length === 1 ? releases[0]?.name : undefined;
}
