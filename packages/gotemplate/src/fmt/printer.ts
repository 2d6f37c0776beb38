import { LimitFailure } from '../failure.ts';
import { Complex, Dict, integerOf, kindOf, List, Sized, Struct, typeNameOf, type Value } from '../values.ts';
import {
  type Flags,
  formatChar,
  formatFloatVerb,
  formatHexBytes,
  formatInteger,
  formatQuoted,
  formatQuotedChar,
  formatString,
  formatUnicode,
  noFlags,
  pad,
} from './flags.ts';
import { sortedEntries } from './key-order.ts';
import { fieldsOf, goStringOf, stringOf } from './stringer.ts';

/** Verbs for which a type's own `String` method is asked. */
const stringVerbs = 'vsxXq';
const MAX_DEPTH = 1000;

/** Writes values by Go's `fmt` rules. */
export class Printer {
  flags: Flags = noFlags();
  readonly #maxBytes: number;
  #bytes = 0;
  /** While a wrong verb is reported, `String` methods are not asked. */
  #erroring = false;

  /** Throws `LimitFailure` as soon as all that it wrote is longer than that. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a piece of text. */
  text(piece: string): string {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new LimitFailure(`a text grows beyond what is left for this render (${this.#maxBytes} bytes)`);
    return piece;
  }

  /** An argument by a verb, as the flags say. */
  print(value: Value, verb: string): string {
    if (value === null) return this.text(verb === 'T' || verb === 'v' ? pad('<nil>', this.flags) : `%!${verb}(<nil>)`);
    if (verb === 'T') return this.text(formatString(typeNameOf(value), this.flags));
    if (verb === 'p') return this.#pointer(value, verb);
    return verb === 'w' && typeof value === 'object' ? this.#badVerb(value, verb) : this.#print(value, verb, 0);
  }

  #print(value: Value, verb: string, depth: number): string {
    if (depth > MAX_DEPTH) throw new LimitFailure(`a value nested deeper than ${MAX_DEPTH} cannot be printed; does it hold itself?`);
    if (value === null) return this.text(this.flags.sharpV ? 'interface {}(nil)' : '<nil>');
    const own = this.#ownText(value, verb);
    if (own !== undefined) return own;
    if (typeof value === 'string') return this.#string(value, verb, value);
    if (typeof value === 'boolean') return 'tv'.includes(verb) ? this.text(pad(String(value), this.flags)) : this.#badVerb(value, verb);
    if (typeof value === 'number') return this.#float(value, verb);
    if (value instanceof Complex) return this.#complex(value, verb);
    if (value instanceof List) return this.#list(value, verb, depth);
    if (value instanceof Dict) return this.#map(value, verb, depth);
    if (integerOf(value) !== undefined) return this.#integer(value, verb);
    if (kindOf(value) !== 'ptr') return this.#struct(value, verb, depth);
    return depth > 0 ? this.#pointer(value, verb) : this.text('&') + this.#struct(value, verb, depth + 1);
  }

  /** What Go's `GoString` and `String` methods give. */
  #ownText(value: Value, verb: string): string | undefined {
    if (this.#erroring) return undefined;
    if (this.flags.sharpV) {
      const text = goStringOf(value);
      return text === undefined ? undefined : this.text(formatString(text, this.flags));
    }
    const text = stringVerbs.includes(verb) ? stringOf(value) : undefined;
    return text === undefined ? undefined : this.#string(text, verb, value);
  }

  #badVerb(value: Value, verb: string): string {
    this.#erroring = true;
    const text = this.text(`%!${verb}(${typeNameOf(value)}=`) + this.#print(value, 'v', 0) + this.text(')');
    this.#erroring = false;
    return text;
  }

  #string(text: string, verb: string, value: Value): string {
    const { flags } = this;
    switch (verb) {
      case 'v':
        return this.text(flags.sharpV ? formatQuoted(text, flags) : formatString(text, flags));
      case 's':
        return this.text(formatString(text, flags));
      case 'q':
        return this.text(formatQuoted(text, flags));
      case 'x':
      case 'X':
        return this.text(formatHexBytes(text, flags, verb === 'X'));
      default:
        return this.#badVerb(value, verb);
    }
  }

  #integer(value: Value, verb: string): string {
    const integer = integerOf(value) ?? 0n;
    const { flags } = this;
    if (typeNameOf(value).startsWith('*')) return this.#nilPointer(value, verb);
    if (verb === 'c') return this.text(formatChar(integer, flags));
    if (verb === 'q') return this.text(formatQuotedChar(integer, flags));
    if (verb === 'U') return this.text(formatUnicode(integer, flags));
    if (!'vdboOxX'.includes(verb)) return this.#badVerb(value, verb);
    const isUnsigned = value instanceof Sized && value.kind.startsWith('u');
    if (verb === 'v' && flags.sharpV && isUnsigned) return this.text(formatInteger(integer, { ...flags, sharp: true }, 'x'));
    return this.text(formatInteger(integer, flags, verb));
  }

  #float(value: number, verb: string): string {
    return 'vbgGxXfeEF'.includes(verb) ? this.text(formatFloatVerb(value, this.flags, verb)) : this.#badVerb(value, verb);
  }

  #complex(value: Complex, verb: string): string {
    if (!'vbgGxXfFeE'.includes(verb)) return this.#badVerb(value, verb);
    const [real, imaginary] = [formatFloatVerb(value.re, this.flags, verb), formatFloatVerb(value.im, { ...this.flags, plus: true }, verb)];
    return this.text(`(${real}${imaginary}i)`);
  }

  /** Members between brackets, or as Go would write them. */
  #members(value: Value, brackets: readonly [string, string], members: string[]): string {
    if (!this.flags.sharpV) return this.text(brackets[0] + members.join(' ') + brackets[1]);
    return this.text(`${typeNameOf(value).replace(/^\*/, '')}{${members.join(', ')}}`);
  }

  #list(list: List, verb: string, depth: number): string {
    if (this.flags.sharpV && list.isNil) return this.text(`${list.typeName}(nil)`);
    const members = list.items.map((item) => this.#print(item, verb, depth + 1));
    return this.#members(list, ['[', ']'], members);
  }

  #map(map: Dict, verb: string, depth: number): string {
    if (this.flags.sharpV && map.isNil) return this.text(`${map.typeName}(nil)`);
    const members = sortedEntries(map).map(([key, item]) => `${this.#print(key, verb, depth + 1)}:${this.#print(item, verb, depth + 1)}`);
    return this.#members(map, ['map[', ']'], members);
  }

  #struct(value: Value, verb: string, depth: number): string {
    const named = this.flags.sharpV || this.flags.plusV;
    const fields = value instanceof Struct ? [...value.fields] : fieldsOf(value);
    const members = fields.map(([name, field]) => (named ? `${name}:` : '') + this.#print(field, verb, depth + 1));
    return this.#members(value, ['{', '}'], members);
  }

  /** The only pointers inside of Go's own types that show are nil. */
  #nilPointer(value: Value, verb: string): string {
    if (verb === 'v') return this.text(this.flags.sharpV ? `(${typeNameOf(value)})(nil)` : pad('<nil>', this.flags));
    return 'bodxX'.includes(verb) ? this.text(formatInteger(0n, this.flags, verb)) : this.#badVerb(value, verb);
  }

  /** Addresses are not ours to give: every one is the same. */
  #pointer(value: Value, verb: string): string {
    if (!['slice', 'map', 'ptr'].includes(kindOf(value)) || !'vpbodxX'.includes(verb)) return this.#badVerb(value, verb);
    return this.text(pad('0xc000000000', this.flags));
  }
}
