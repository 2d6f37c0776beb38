/** Go's `unicode` package over code points, by the tables of the JavaScript engine. */

/** Whether a code point is in a class; asked once for each of the first 65,536. */
function is(pattern: RegExp): (rune: number) => boolean {
  const known = new Uint8Array(0x10000);
  return (rune) => {
    const answer = known[rune];
    if (answer === 1 || answer === 2) return answer === 2;
    const matches = pattern.test(String.fromCodePoint(rune));
    if (rune < known.length) known[rune] = matches ? 2 : 1;
    return matches;
  };
}

export const isLetter = is(/^\p{L}$/u);
export const isDigit = is(/^\p{Nd}$/u);
export const isNumber = is(/^\p{N}$/u);
export const isPunct = is(/^\p{P}$/u);
export const isUpper = is(/^\p{Lu}$/u);
export const isLower = is(/^\p{Ll}$/u);
export const isTitle = is(/^\p{Lt}$/u);

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space. */
const printable = is(/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u);

export function isPrint(rune: number): boolean {
  if (rune < 0x7f) return rune >= 0x20;
  return rune <= 0x10ffff && !(rune >= 0xd800 && rune <= 0xdfff) && printable(rune);
}

/** Go's `unicode.IsSpace`. */
export function isSpace(rune: number): boolean {
  if (rune <= 0xff) return (rune >= 9 && rune <= 13) || rune === 0x20 || rune === 0x85 || rune === 0xa0;
  return rune === 0x1680 || (rune >= 0x2000 && rune <= 0x200a) || [0x2028, 0x2029, 0x202f, 0x205f, 0x3000].includes(rune);
}

/** One letter mapped to one letter, as Go does; where JavaScript gives several (`ß`), the letter stays. */
function mapping(map: (text: string) => string): (rune: number) => number {
  const known = new Uint32Array(0x10000);
  return (rune) => {
    if (known[rune]) return known[rune];
    const mapped = [...map(String.fromCodePoint(rune))];
    const one = mapped.length === 1 ? (mapped[0]?.codePointAt(0) ?? rune) : rune;
    if (rune < known.length) known[rune] = one;
    return one;
  };
}

const upperOf = mapping((text) => text.toUpperCase());
const lowerOf = mapping((text) => text.toLowerCase());

export function toUpper(rune: number): number {
  if (rune < 0x80) return rune >= 0x61 && rune <= 0x7a ? rune - 32 : rune;
  return upperOf(rune);
}

export function toLower(rune: number): number {
  if (rune < 0x80) return rune >= 0x41 && rune <= 0x5a ? rune + 32 : rune;
  return rune === 0x130 ? 0x69 : lowerOf(rune);
}

/** The letters of two letters (DŽ, LJ, NJ, DZ) have a title case of their own; each stands in the middle of its three forms. */
export function toTitle(rune: number): number {
  const digraph = [0x1c5, 0x1c8, 0x1cb, 0x1f2].find((middle) => Math.abs(rune - middle) <= 1);
  return digraph ?? toUpper(rune);
}
