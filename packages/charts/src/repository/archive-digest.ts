import { createHash } from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';

/** sha256 in lower-case hex that an index publishes for an archive; undefined when it publishes none. Throws `chart/invalid`. */
export function publishedDigest(digest: string | undefined, origin: string): string | undefined {
  if (digest === undefined || digest === '') return undefined;
  const match = /^(?:sha256:)?([0-9a-f]{64})$/i.exec(digest);
  if (match?.[1] === undefined)
    throw new HivekeepError(
      'chart/invalid',
      `the digest of ${origin} is ${JSON.stringify(digest.slice(0, 100))}; expected sha256 and 64 hex digits`,
    );
  return match[1].toLowerCase();
}

export function digestOf(archive: Uint8Array): string {
  return createHash('sha256').update(archive).digest('hex');
}

/** Throws `chart/invalid` when an archive is not what the index says. */
export function checkDigest(archive: Uint8Array, expected: string, origin: string): void {
  const found = digestOf(archive);
  if (found !== expected)
    throw new HivekeepError(
      'chart/invalid',
      `${origin} has the sha256 ${found}, the index says ${expected}; it was changed after the index was made`,
    );
}
