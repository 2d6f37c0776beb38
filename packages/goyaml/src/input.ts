import { yamlFailure } from './failure.ts';
import type { Limits } from './limits.ts';

const BOM = 0xfeff;

/**
 * The text of a document: UTF-8, or UTF-16 when a byte order mark says so; a leading mark is dropped.
 * Refuses what yaml.v3's reader refuses: bytes that are no such text, and control characters.
 */
export function readInput(input: string | Uint8Array, limits: Limits, file?: string): string {
  const size = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength;
  if (size > limits.bytes) {
    throw yamlFailure(`the text has ${size} bytes; at most ${limits.bytes} are read`, { line: 1, column: 1 }, file);
  }
  const text = typeof input === 'string' ? input : decodeBytes(input, file);
  const forbidden = text.search(FORBIDDEN);
  if (forbidden >= 0) {
    const code = (text.codePointAt(forbidden) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    throw yamlFailure(`control characters are not allowed, found U+${code}`, positionOf(text, forbidden), file);
  }
  return text.charCodeAt(0) === BOM ? text.slice(1) : text;
}

/** Everything outside YAML 1.1's printable characters, lone surrogates included (`u` reads pairs as one character). */
const FORBIDDEN = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

function decodeBytes(bytes: Uint8Array, file?: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const valid = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    throw yamlFailure(`the text is not valid ${encoding.toUpperCase()}`, positionOf(valid, Math.max(valid.indexOf('\ufffd'), 0)), file);
  }
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: [...before.slice(start)].length + 1 };
}
