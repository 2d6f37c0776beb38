import { ByteWriter, replaceRunes } from './bytes.ts';
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
  return replaceRunes(text, (rune, own) => {
    const hex = () => `\\u${rune.toString(16).toUpperCase().padStart(4, '0')}`;
    if (rune >= 0x80) return isPrint(rune) ? own : hex();
    return jsEscapes[own] ?? (rune < 0x20 ? hex() : own);
  });
}

/** Every byte that `keep` does not match as `%XX`. */
export function percentEncode(text: string, keep: RegExp): string {
  const writer = new ByteWriter(text.length);
  for (let i = 0; i < text.length; i++) {
    const byte = text.charAt(i);
    writer.write(keep.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  }
  return writer.toString();
}

/** Go's `url.QueryEscape`. */
export function escapeQuery(text: string): string {
  return percentEncode(text, /[A-Za-z0-9\-_.~ ]/).replaceAll(' ', '+');
}
