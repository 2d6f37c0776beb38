import type { Environment } from '../environment.ts';
import { type CallContext, contextual, type FunctionTable } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { ByteWriter, fromBytes, runesOf } from '../text/bytes.ts';
import { base64 } from './encodings.ts';

/** An even choice of 0 to below `bound`, from the caller's bytes. */
function below(bound: number, { randomBytes }: Environment): number {
  const limit = Math.floor(2 ** 48 / bound) * bound;
  for (;;) {
    const value = [...randomBytes(6)].reduce((number, byte) => number * 256 + byte, 0);
    if (value < limit) return value % bound;
  }
}

const digits = '0123456789';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => index + 32));

/** So many characters of an alphabet; none for a negative count. */
const randomText = (alphabet: string) =>
  contextual(['int'], ({ meter, environment }, count) => {
    meter.charge(Math.max(Number(count), 0));
    let text = '';
    for (let i = 0n; i < count; i++) text += alphabet.charAt(below(alphabet.length, environment));
    return text;
  });

function shuffle(text: string, { meter, environment }: CallContext): string {
  const runes = runesOf(text);
  meter.charge(runes.length);
  for (let i = runes.length - 1; i > 0; i--) {
    const other = below(i + 1, environment);
    [runes[i], runes[other]] = [runes[other] ?? 0, runes[i] ?? 0];
  }
  const writer = new ByteWriter(text.length);
  for (const rune of runes) writer.writeRune(rune);
  return writer.toString();
}

function uuid(bytes: Uint8Array): string {
  const marked = Uint8Array.from(bytes, (byte, index) => (index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte));
  const hex = [...marked].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** What is random takes its bytes from the caller. */
export const randomFunctions: FunctionTable = {
  randAlphaNum: randomText(digits + letters),
  randAlpha: randomText(letters),
  randNumeric: randomText(digits),
  randAscii: randomText(ascii),
  randInt: contextual(['int', 'int'], ({ environment }, min, max) => {
    if (max <= min) throw new CallFailure('invalid argument to Intn');
    return min + BigInt(below(Math.min(Number(max - min), 2 ** 47), environment));
  }),
  randBytes: contextual(['int'], ({ meter, environment }, count) => {
    if (count < 0n) throw new CallFailure('makeslice: len out of range');
    meter.chargeBytes(Number(count));
    return base64(fromBytes(environment.randomBytes(Number(count))));
  }),
  shuffle: contextual(['string'], (context, text) => shuffle(text, context)),
  uuidv4: contextual([], ({ environment }) => uuid(environment.randomBytes(16))),
};
