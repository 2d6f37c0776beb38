import { createHash } from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';
import { compress, decompress } from './envelope.ts';

/** An artifact may have this many bytes. */
export const MAX_ARTIFACT_BYTES = 64 * 1024 * 1024;

/** An artifact as stores keep it. Throws `artifact/too-large`, and `artifact/missing` when the bytes are not what the digest names. */
export function packArtifact(digest: string, bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_ARTIFACT_BYTES)
    throw new HivekeepError('artifact/too-large', `expected an artifact of at most ${MAX_ARTIFACT_BYTES} bytes, found ${bytes.length}`);
  return compress(verified(digest, bytes));
}

/** The bytes of a stored artifact. Throws `artifact/missing` when they are not what the digest names. */
export function unpackArtifact(digest: string, packed: Uint8Array): Uint8Array {
  try {
    return verified(digest, decompress(packed, MAX_ARTIFACT_BYTES));
  } catch (cause) {
    if (HivekeepError.is(cause, 'artifact/missing')) throw cause;
    throw new HivekeepError('artifact/missing', `the stored artifact ${digest} is damaged; it must be built again`, { cause });
  }
}

function verified(digest: string, bytes: Uint8Array): Uint8Array {
  const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (found === digest) return bytes;
  throw new HivekeepError('artifact/missing', `expected an artifact with the digest ${digest}, found ${found}; it must be built again`);
}
