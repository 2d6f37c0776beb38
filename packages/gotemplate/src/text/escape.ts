import { decodeRune } from './bytes.ts';
import { isPrint } from './unicode.ts';

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\xef\xbf\xbd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

/** Go's `template.HTMLEscapeString`. */
export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (char) => htmlEscapes[char] ?? char);
}

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

/** Go's `template.JSEscapeString`. */
export function escapeJs(text: string): string {
  let escaped = '';
  for (let at = 0; at < text.length; ) {
    const { rune, size } = decodeRune(text, at);
    const char = text.slice(at, at + size);
    const hex = rune.toString(16).toUpperCase().padStart(4, '0');
    if (rune >= 0x80) escaped += isPrint(rune) ? char : `\\u${hex}`;
    else escaped += jsEscapes[char] ?? (rune < 0x20 ? `\\u${hex}` : char);
    at += size;
  }
  return escaped;
}

/** Every byte that `keep` does not match as `%XX`. */
export function percentEncode(text: string, keep: RegExp): string {
  return [...text].map((byte) => (keep.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)).join('');
}

/** Go's `url.QueryEscape`. */
export function escapeQuery(text: string): string {
  return percentEncode(text, /[A-Za-z0-9\-_.~ ]/).replaceAll(' ', '+');
}
