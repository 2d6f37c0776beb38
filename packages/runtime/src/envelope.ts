import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { HivekeepError } from '@hivekeep/contracts';

/** How long the caller still waits, in milliseconds: a duration, because clocks differ between nodes. */
export const TIMEOUT_HEADER = 'hk-timeout';
export const REQUEST_HEADER = 'hk-request';
/** On replies: `ok`, or the code of the error in the body. */
export const OUTCOME_HEADER = 'hk-outcome';
export const OUTCOME_OK = 'ok';

/** The JSON of one message may have this many bytes before compression. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;
const COMPRESS_ABOVE = 8 * 1024;
/** RFC 8878, section 3.1.1. No JSON text starts with these bytes, so a body tells by itself whether it is compressed. */
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

export function isCompressed(bytes: Uint8Array): boolean {
  return bytes.length >= ZSTD_MAGIC.length && ZSTD_MAGIC.equals(bytes.subarray(0, ZSTD_MAGIC.length));
}

/** zstd at its fastest level: rendered manifests shrink to an eighth in a few milliseconds. */
export function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

/** Throws `bus/too-large` instead of unpacking more than `maxBytes`. */
export function decompress(bytes: Uint8Array, maxBytes: number): Uint8Array {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) throw new HivekeepError('bus/too-large', `expected at most ${maxBytes} bytes after decompression`);
    throw new HivekeepError('bus/invalid-message', 'expected a whole zstd frame, found a damaged one', { cause });
  }
}

/**
 * A value as the body of one message: JSON, compressed when that is worth it. Undefined is sent as null.
 * Throws `bus/too-large`; `what` names the message in it.
 */
export function encodeBody(value: unknown, maxBytes: number, what: string): Uint8Array {
  const json = Buffer.from(JSON.stringify(value) ?? 'null');
  if (json.length > MAX_JSON_BYTES) throw tooLarge(what, json.length, MAX_JSON_BYTES);
  const body = json.length > COMPRESS_ABOVE ? compress(json) : json;
  if (body.length > maxBytes) throw tooLarge(what, body.length, maxBytes);
  return body;
}

/** The value of a body. Throws `bus/invalid-message` or `bus/too-large`. */
export function decodeBody(body: Uint8Array): unknown {
  const json = isCompressed(body) ? decompress(body, MAX_JSON_BYTES) : body;
  try {
    return JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8'));
  } catch (cause) {
    throw new HivekeepError('bus/invalid-message', 'expected JSON in a message, found something else', { cause });
  }
}

function tooLarge(what: string, found: number, allowed: number): HivekeepError {
  return new HivekeepError('bus/too-large', `${what}: expected at most ${allowed} bytes, found ${found}; ask for less at a time`);
}
