import { hash } from 'node:crypto';
import { contextual, type FunctionTable, fn } from '../exec/function.ts';
import { fromBytes, toBytes } from '../text/bytes.ts';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const base64 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('base64');

/** Groups of bits read from one base, written in another; bits that are left over are filled up, or dropped where they make no byte. */
function regroup(digits: ArrayLike<number>, from: number, to: number): Uint8Array {
  const out = new Uint8Array(to < 8 ? Math.ceil((digits.length * from) / to) : Math.floor((digits.length * from) / to));
  let [bits, size, length] = [0, 0, 0];
  for (let i = 0; i < digits.length; i++) {
    bits = ((bits << from) | (digits[i] ?? 0)) & 0xffff;
    size += from;
    while (size >= to) {
      size -= to;
      out[length++] = (bits >> size) & ((1 << to) - 1);
    }
  }
  if (length < out.length) out[length] = (bits << (to - size)) & ((1 << to) - 1);
  return out;
}

/** Where the text stops being base64; Go names the byte in its error, which Sprig gives as the result. */
const corrupt64 = (at: number) => `illegal base64 data at input byte ${at}`;
const corrupt32 = (at: number) => `illegal base32 data at input byte ${at}`;
const isNewline = (char: string | undefined) => char === '\n' || char === '\r';

function decodeBase64(text: string): string {
  const digits: number[] = [];
  let at = 0;
  const skipNewlines = () => {
    while (isNewline(text[at])) at++;
  };
  for (let inGroup = 0; ; ) {
    const char = text[at];
    if (char === undefined) return inGroup === 0 ? fromBytes(regroup(digits, 6, 8)) : corrupt64(at - inGroup);
    at++;
    const digit = BASE64.indexOf(char);
    if (digit >= 0) {
      digits.push(digit);
      inGroup = (inGroup + 1) % 4;
      continue;
    }
    if (isNewline(char)) continue;
    if (char !== '=' || inGroup < 2) return corrupt64(at - 1);
    if (inGroup === 2) {
      skipNewlines();
      if (at === text.length) return corrupt64(text.length);
      if (text[at] !== '=') return corrupt64(at - 1);
      at++;
    }
    skipNewlines();
    return at < text.length ? corrupt64(at) : fromBytes(regroup(digits, 6, 8));
  }
}

function encodeBase32(text: string): string {
  const digits = regroup(toBytes(text), 8, 5).map((digit) => BASE32.charCodeAt(digit));
  return fromBytes(digits).padEnd(Math.ceil(digits.length / 8) * 8, '=');
}

function decodeBase32(input: string): string {
  const text = input.replace(/[\r\n]/g, '');
  const digits: number[] = [];
  for (let at = 0; at < text.length; at += 8) {
    const group = text.slice(at, at + 8);
    for (let j = 0; j < 8; j++) {
      const char = group[j];
      if (char === undefined) return corrupt32(at);
      if (char === '=' && j >= 2 && text.length - at - j - 1 < 8) {
        const problem = paddingProblem(text, at, j);
        return problem ?? fromBytes(regroup(digits, 5, 8));
      }
      const digit = BASE32.indexOf(char);
      if (digit < 0) return corrupt32(at + j);
      digits.push(digit);
    }
  }
  return fromBytes(regroup(digits, 5, 8));
}

/** What is wrong with the padding that starts at digit j of the last group. */
function paddingProblem(text: string, at: number, j: number): string | undefined {
  const rest = text.slice(at + j + 1);
  if (rest.length + j < 7) return corrupt32(text.length);
  for (let k = 0; k < 7 - j; k++) if (rest[k] !== '=') return corrupt32(text.length - rest.length + k - 1);
  return j === 3 || j === 6 ? corrupt32(text.length - rest.length - 1) : undefined;
}

const hashing = (algorithm: string) =>
  contextual(['string'], ({ meter }, text) => {
    meter.chargeBytes(text.length);
    return hash(algorithm, toBytes(text), 'hex');
  });

function adler32(text: string): string {
  let [a, b] = [1, 0];
  for (let i = 0; i < text.length; i++) {
    a = (a + text.charCodeAt(i)) % 65_521;
    b = (b + a) % 65_521;
  }
  return String(b * 65_536 + a);
}

export const encodingFunctions: FunctionTable = {
  b64enc: fn(['string'], base64),
  b64dec: fn(['string'], decodeBase64),
  b32enc: fn(['string'], encodeBase32),
  b32dec: fn(['string'], decodeBase32),
  sha1sum: hashing('sha1'),
  sha256sum: hashing('sha256'),
  sha512sum: hashing('sha512'),
  adler32sum: fn(['string'], adler32),
};
