/** ASN.1 in its distinguished encoding (X.690): tag, length, content. */

export type Der = Uint8Array;

const lengthOf = (length: number): number[] => {
  if (length < 0x80) return [length];
  const bytes = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
};

export function der(tag: number, ...content: readonly Der[]): Der {
  const body = Buffer.concat(content);
  return Buffer.concat([Uint8Array.from([tag, ...lengthOf(body.length)]), body]);
}

export const sequence = (...content: readonly Der[]): Der => der(0x30, ...content);
export const setOf = (...content: readonly Der[]): Der => der(0x31, ...content);
export const octets = (content: Der): Der => der(0x04, content);
export const utf8 = (text: string): Der => der(0x0c, Buffer.from(text, 'utf8'));
export const nothing: Der = der(0x05);
export const yes: Der = der(0x01, Uint8Array.of(0xff));

/** Of bytes, the first the most significant; never negative. */
export const integer = (bytes: Uint8Array): Der => der(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes);

/** A signature or key: whole bytes. */
export const bits = (content: Uint8Array, unused = 0): Der => der(0x03, Uint8Array.of(unused), content);

/** An object identifier by its numbers. */
export function oid(text: string): Der {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const digits = [number % 128];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left % 128) | 0x80);
    return digits;
  });
  return der(0x06, Uint8Array.from(bytes));
}

/** A time in UTC: two digits of the year until 2049, four from then on (RFC 5280, 4.1.2.5). */
export function time(milliseconds: number): Der {
  const text = `${new Date(milliseconds).toISOString().replace(/[-T:]|\.\d+/g, '')}`;
  return Number(text.slice(0, 4)) < 2050 ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

/** The members of an encoded sequence, each with its tag and length. Throws `RangeError` when the lengths do not fit. */
export function membersOf(encoded: Der): Der[] {
  const members: Der[] = [];
  for (let at = headerOf(encoded, 0); at < encoded.length; ) {
    const [start, end] = [at, headerOf(encoded, at) + contentLength(encoded, at)];
    if (end > encoded.length || end <= start) throw new RangeError('the encoding is broken');
    members.push(encoded.subarray(start, end));
    at = end;
  }
  return members;
}

/** Where the content of the member at a position starts. */
const headerOf = (encoded: Der, at: number): number => {
  const length = encoded[at + 1] ?? 0;
  return at + 2 + (length >= 0x80 ? length & 0x7f : 0);
};

function contentLength(encoded: Der, at: number): number {
  const length = encoded[at + 1] ?? 0;
  if (length < 0x80) return length;
  return encoded.subarray(at + 2, headerOf(encoded, at)).reduce((value, byte) => value * 256 + byte, 0);
}
