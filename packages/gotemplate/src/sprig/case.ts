import { contextual, type FunctionTable, fn } from '../exec/function.ts';
import { ByteWriter, isAscii, mapRunes } from '../text/bytes.ts';
import { isDigit, isLetter, isLower, isSpace, isTitle, isUpper, toLower, toTitle, toUpper } from '../text/unicode.ts';
import { toPascalCase, toWordsWith } from './xstrings.ts';

const upper = (text: string) => (isAscii(text) ? text.toUpperCase() : mapRunes(text, toUpper));
const lower = (text: string) => (isAscii(text) ? text.toLowerCase() : mapRunes(text, toLower));

/** Between words, as Go's `strings.Title` sees them. */
function isSeparator(rune: number): boolean {
  if (rune < 0x80) return rune !== 0x5f && !isLetter(rune) && !isDigit(rune);
  return !isLetter(rune) && !isDigit(rune) && isSpace(rune);
}

function title(text: string): string {
  let previous = 0x20;
  return mapRunes(text, (rune) => {
    const atStart = isSeparator(previous);
    previous = rune;
    return atStart ? toTitle(rune) : rune;
  });
}

/** The first letter of each word in lower case. */
function untitle(text: string): string {
  let atStart = true;
  return mapRunes(text, (rune) => {
    if (isSpace(rune)) atStart = true;
    else if (atStart) {
      atStart = false;
      return toLower(rune);
    }
    return rune;
  });
}

function swapCase(text: string): string {
  let afterSpace = true;
  return mapRunes(text, (rune) => {
    const atStart = afterSpace;
    if (isUpper(rune) || isTitle(rune) || isLower(rune)) {
      afterSpace = false;
      if (!isLower(rune)) return toLower(rune);
      return atStart ? toTitle(rune) : toUpper(rune);
    }
    afterSpace = isSpace(rune);
    return rune;
  });
}

/** The first byte of each word, taken for a letter. */
function initials(text: string): string {
  let atStart = true;
  const found = new ByteWriter(16);
  for (let i = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    if (isSpace(byte)) atStart = true;
    else if (atStart) {
      found.writeRune(byte);
      atStart = false;
    }
  }
  return found.toString();
}

/** At most so many bytes, with `...` where something was cut. Source: goutils AbbreviateFull. */
function abbreviate(text: string, offset: number, width: number): string {
  if (text.length <= width) return text;
  const kept = width - 3;
  let start = Math.min(offset, text.length);
  if (text.length - start < kept) start = text.length - kept;
  if (start <= 4) return `${text.slice(0, kept)}...`;
  if (width < 7) return '';
  if (start + kept < text.length) return `...${kept < 4 ? '' : abbreviate(text.slice(start), 0, kept)}`;
  return `...${text.slice(text.length - kept)}`;
}

/** Lines of at most so many bytes, broken at spaces. Source: goutils WrapCustom. */
function wrap(text: string, width: number, lineBreak: string, breaksWords: boolean): string {
  const length = Math.max(width, 1);
  const separator = lineBreak || '\n';
  const lines: string[] = [];
  let offset = 0;
  while (text.length - offset > length) {
    if (text[offset] === ' ') {
      offset++;
      continue;
    }
    const space = text.lastIndexOf(' ', length + offset);
    const next = breaksWords ? length + offset : text.indexOf(' ', length + offset);
    const end = space >= offset ? space : next < 0 ? text.length : next;
    if (next < 0 && space < offset) break;
    lines.push(text.slice(offset, end));
    offset = space >= offset || !breaksWords ? end + 1 : end;
  }
  return lines.map((line) => line + separator).join('') + text.slice(offset);
}

export const caseFunctions: FunctionTable = {
  upper: fn(['string'], upper),
  lower: fn(['string'], lower),
  title: fn(['string'], title),
  untitle: fn(['string'], untitle),
  swapcase: fn(['string'], swapCase),
  camelcase: fn(['string'], toPascalCase),
  snakecase: fn(['string'], (text) => toWordsWith(text, '_')),
  kebabcase: fn(['string'], (text) => toWordsWith(text, '-')),
  initials: fn(['string'], initials),
  abbrev: fn(['int', 'string'], (width, text) => (width < 4n ? text : abbreviate(text, 0, Number(width)))),
  abbrevboth: fn(['int', 'int', 'string'], (left, right, text) =>
    right < 4n || (left > 0n && right < 7n) ? text : abbreviate(text, Number(left), Number(right)),
  ),
  wrap: fn(['int', 'string'], (width, text) => wrap(text, Number(width), '', false)),
  wrapWith: contextual(['int', 'string', 'string'], ({ meter }, width, lineBreak, text) => {
    meter.chargeBytes((text.length / Math.max(Number(width), 1)) * lineBreak.length);
    return wrap(text, Number(width), lineBreak, true);
  }),
};
