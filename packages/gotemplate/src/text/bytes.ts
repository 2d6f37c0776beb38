/**
 * Go's strings are bytes, JavaScript's are UTF-16. Inside this package every string is a *byte string*: one char (0 to 255) for each
 * byte of the UTF-8 text. Lengths, slices, comparisons and broken letters are then Go's own; ASCII is the same in both.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is outside of ASCII
const beyondAscii = /[^\x00-\x7f]/;

/** The replacement character, which stands for bytes that are no UTF-8. */
export const RUNE_ERROR = 0xfffd;

/** A JavaScript text as a byte string. */
export function bytesOf(text: string): string {
  return beyondAscii.test(text) ? fromBytes(encoder.encode(text)) : text;
}

/** A byte string as JavaScript text; what is no UTF-8 becomes U+FFFD. */
export function textOf(bytes: string): string {
  return beyondAscii.test(bytes) ? decoder.decode(toBytes(bytes)) : bytes;
}

/** Raw bytes as a byte string. */
export function fromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** A byte string as raw bytes. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

/** Whether every byte is ASCII, so that bytes, letters and UTF-16 are one. */
export function isAscii(bytes: string): boolean {
  return !beyondAscii.test(bytes);
}

/** Whether the bytes are UTF-8. */
export function isValidUtf8(bytes: string): boolean {
  if (isAscii(bytes)) return true;
  for (let at = 0; at < bytes.length; ) {
    const { rune, size } = decodeRune(bytes, at);
    if (rune === RUNE_ERROR && size === 1) return false;
    at += size;
  }
  return true;
}

export interface Rune {
  /** The code point; `RUNE_ERROR` with size 1 for a byte that is no UTF-8. */
  readonly rune: number;
  /** Bytes it takes; 0 at the end. */
  readonly size: number;
}

const broken: Rune = { rune: RUNE_ERROR, size: 1 };
const asciiRunes: readonly Rune[] = Array.from({ length: 0x80 }, (_, rune) => ({ rune, size: 1 }));

/** The letter at a byte position, as Go's `utf8.DecodeRuneInString`. */
export function decodeRune(bytes: string, at: number): Rune {
  if (at >= bytes.length) return { rune: RUNE_ERROR, size: 0 };
  const first = bytes.charCodeAt(at);
  const ascii = asciiRunes[first];
  if (ascii !== undefined) return ascii;
  const size = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  if (size === 1 || first > 0xf4 || at + size > bytes.length) return broken;
  let rune = first & (0xff >> (size + 1));
  for (let i = 1; i < size; i++) {
    const next = bytes.charCodeAt(at + i);
    if ((next & 0xc0) !== 0x80) return broken;
    rune = (rune << 6) | (next & 0x3f);
  }
  const overlong = rune < (size === 4 ? 0x10000 : size === 3 ? 0x800 : 0x80);
  if (overlong || rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) return broken;
  return { rune, size };
}

/** The letters of a byte string; a byte that is no UTF-8 is `RUNE_ERROR`. */
export function runesOf(bytes: string): number[] {
  const runes: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { rune, size } = decodeRune(bytes, at);
    runes.push(rune);
    at += size;
  }
  return runes;
}

/** Letters, not bytes. */
export function runeCount(bytes: string): number {
  if (isAscii(bytes)) return bytes.length;
  let count = 0;
  for (let at = 0; at < bytes.length; count++) at += decodeRune(bytes, at).size;
  return count;
}

/** A code point as a byte string; what is no code point becomes U+FFFD. */
export function encodeRune(rune: number): string {
  if (rune >= 0 && rune < 0x80) return String.fromCharCode(rune);
  const valid = rune >= 0 && rune <= 0x10ffff && !(rune >= 0xd800 && rune <= 0xdfff);
  return fromBytes(encoder.encode(String.fromCodePoint(valid ? rune : RUNE_ERROR)));
}

/** Bytes that are put together piece by piece, in as much memory as they take. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(expected: number) {
    this.#bytes = new Uint8Array(Math.max(expected, 16));
  }

  /** A byte string. */
  write(text: string): void {
    if (this.#length + text.length > this.#bytes.length) {
      const larger = new Uint8Array(2 * (this.#length + text.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    for (let i = 0; i < text.length; i++) this.#bytes[this.#length++] = text.charCodeAt(i);
  }

  writeRune(rune: number): void {
    if (rune >= 0x80 || this.#length === this.#bytes.length) this.write(encodeRune(rune));
    else this.#bytes[this.#length++] = rune;
  }

  toString(): string {
    return fromBytes(this.#bytes.subarray(0, this.#length));
  }
}

/** Each letter made into another; a byte that is no UTF-8 becomes what `RUNE_ERROR` becomes. */
export function mapRunes(text: string, map: (rune: number) => number): string {
  const writer = new ByteWriter(text.length);
  for (let at = 0; at < text.length; ) {
    const { rune, size } = decodeRune(text, at);
    writer.writeRune(map(rune));
    at += size;
  }
  return writer.toString();
}

/** Each letter made into a text; it is told its own bytes too. */
export function replaceRunes(text: string, replace: (rune: number, bytes: string) => string): string {
  const writer = new ByteWriter(text.length);
  for (let at = 0; at < text.length; ) {
    const { rune, size } = decodeRune(text, at);
    writer.write(replace(rune, text.slice(at, at + size)));
    at += size;
  }
  return writer.toString();
}
