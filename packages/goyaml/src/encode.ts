import { formatFloat } from './format-float.ts';
import { compareKeys } from './key-order.ts';
import { isBreak, isPrintable, shapeOf, styleOf, type WrittenStyle } from './scalar-style.ts';
import { GoBytes, type GoKey, GoMap, GoStruct, GoTime, type GoValue } from './values.ts';
import { Writer } from './writer.ts';

export interface EncodeOptions {
  /** Spaces for each level; anything but 2 to 9 is 2, as in yaml.v3. */
  readonly indent?: number;
}

/** A longer key is written with `?` (libyaml counts bytes). */
const SIMPLE_KEY_BYTES = 128;
const BINARY_LINE = 70;
const NO_BREAK_SPACE = 0xa0;

/** A value as yaml.v3's encoder writes it: block style, sorted keys (a `GoStruct` in its own order), no line folding. Ends with a line break. */
export function encode(value: GoValue, options: EncodeOptions = {}): string {
  const indent = options.indent ?? 2;
  const encoder = new Encoder(indent >= 2 && indent <= 9 ? indent : 2);
  return encoder.encode(value);
}

/** The indentation of the block around and whether it is a list: what decides how far in a child stands. */
interface Place {
  readonly indent: number;
  readonly inList: boolean;
}

class Encoder {
  readonly #writer = new Writer();
  readonly #step: number;

  constructor(step: number) {
    this.#step = step;
  }

  encode(value: GoValue): string {
    this.#value(value, { indent: -1, inList: false });
    this.#writer.indentTo(0);
    return this.#writer.toString();
  }

  /** In a list a child skips the `- `; elsewhere it stands at the next multiple of the step. */
  #childIndent(place: Place): number {
    if (place.inList) return place.indent + 2;
    return this.#step * Math.floor((place.indent + this.#step) / this.#step);
  }

  #value(value: GoValue, place: Place): void {
    if (Array.isArray(value) && value.length > 0) this.#list(value, place);
    else if (Array.isArray(value)) this.#empty('[]');
    else if (value instanceof GoMap && value.size > 0) this.#map(value, place);
    else if (value instanceof GoMap) this.#empty('{}');
    else this.#scalar(value, place, false);
  }

  #list(items: readonly GoValue[], place: Place): void {
    const indent = place.indent < 0 ? 0 : this.#childIndent(place);
    for (const item of items) {
      this.#writer.indentTo(indent);
      this.#writer.blockIndicator('-');
      this.#value(item, { indent, inList: true });
    }
  }

  #map(map: GoMap, place: Place): void {
    const indent = place.indent < 0 ? 0 : this.#childIndent(place);
    const inside: Place = { indent, inList: false };
    for (const [key, value] of map instanceof GoStruct ? map : [...map].sort(([a], [b]) => compareKeys(a, b))) {
      this.#writer.indentTo(indent);
      this.#key(key, inside);
      // Go finds no value under a key that does not equal itself.
      this.#value(Number.isNaN(key) ? null : value, inside);
    }
  }

  #empty(marks: string): void {
    this.#writer.separate();
    this.#writer.text(marks);
  }

  #key(key: GoKey, place: Place): void {
    if (isSimpleKey(key)) {
      this.#scalar(key, place, true);
      this.#writer.text(':');
      return;
    }
    this.#writer.blockIndicator('?');
    this.#scalar(key, place, false);
    this.#writer.indentTo(place.indent);
    this.#writer.blockIndicator(':');
  }

  #scalar(value: GoKey, place: Place, asKey: boolean): void {
    this.#writer.separate();
    const indent = place.indent < 0 ? this.#step : this.#childIndent(place);
    if (value instanceof GoBytes) {
      this.#writer.text('!!binary ');
      const base64 = binaryText(value);
      this.#text(base64, base64.includes('\n') && !asKey ? 'literal' : asKey && base64.includes('\n') ? 'double' : 'plain', indent);
    } else if (typeof value === 'string') {
      this.#text(value, styleOf(value, asKey), indent);
    } else {
      this.#writer.text(scalarText(value));
    }
  }

  #text(text: string, style: WrittenStyle, indent: number): void {
    if (style === 'plain') this.#writer.text(text);
    else if (style === 'double') this.#writer.text(doubleQuoted(text));
    else if (style === 'single') this.#single(text, indent);
    else this.#literal(text, indent);
  }

  #single(text: string, indent: number): void {
    this.#writer.text("'");
    let broke = false;
    for (const char of text.replaceAll("'", "''")) {
      if (isBreak(char)) this.#writer.lineBreak(char);
      else {
        if (broke) this.#writer.indentTo(indent);
        this.#writer.text(char);
      }
      broke = isBreak(char);
    }
    this.#writer.text("'");
  }

  #literal(text: string, indent: number): void {
    this.#writer.text(`|${this.#literalHints(text)}`);
    let broke = true;
    for (const char of text) {
      if (isBreak(char)) this.#writer.lineBreak(char);
      else {
        if (broke) this.#writer.indentTo(indent);
        this.#writer.text(char);
      }
      broke = isBreak(char);
    }
  }

  #literalHints(text: string): string {
    const indentation = text.startsWith(' ') || isBreak(text[0]) ? String(this.#step) : '';
    if (!isBreak(text.at(-1))) return `${indentation}-`;
    return text.length === 1 || isBreak(text.at(-2)) ? `${indentation}+` : indentation;
  }
}

function isSimpleKey(key: GoKey): boolean {
  const text = key instanceof GoBytes ? `!!binary${binaryText(key)}` : typeof key === 'string' ? key : scalarText(key);
  return !shapeOf(text).multiline && Buffer.byteLength(text) <= SIMPLE_KEY_BYTES;
}

function binaryText({ bytes }: GoBytes): string {
  const base64 = Buffer.from(bytes).toString('base64');
  if (base64.length <= BINARY_LINE) return base64;
  return base64.replace(new RegExp(`.{1,${BINARY_LINE}}`, 'g'), '$&\n');
}

function scalarText(value: Exclude<GoKey, string | GoBytes>): string {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return '.nan';
    return Number.isFinite(value) ? formatFloat(value) : value > 0 ? '.inf' : '-.inf';
  }
  return value instanceof GoTime ? value.toString() : String(value);
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

/** yaml.v3 escapes every character of a text that starts with a byte order mark. */
function doubleQuoted(text: string): string {
  const everything = text.startsWith('\ufeff');
  return `"${[...text].map((char) => escapeChar(char, everything)).join('')}"`;
}

function escapeChar(char: string, always: boolean): string {
  const named = Object.hasOwn(NAMED_ESCAPES, char) ? NAMED_ESCAPES[char] : undefined;
  if (named !== undefined) return named;
  if (!always && isPrintable(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code === NO_BREAK_SPACE) return '\\_';
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
