import { decodeRune } from '../text/bytes.ts';
import { integerOf, typeNameOf, type Value } from '../values.ts';
import { noFlags } from './flags.ts';
import { Printer } from './printer.ts';

/** Go refuses a larger width or precision. */
const MAX_NUMBER = 1_000_000;

/** `fmt.Sprintf`. What does not fit is said in the text (`%!d(string=a)`), as Go does; only the size limit throws. */
export function sprintf(format: string, values: readonly Value[], maxBytes = Number.POSITIVE_INFINITY): string {
  return new FormatReader(format, values, maxBytes).run();
}

class FormatReader {
  readonly #format: string;
  readonly #values: readonly Value[];
  readonly #printer: Printer;
  #out = '';
  #at = 0;
  #argument = 0;
  #reordered = false;
  #goodIndex = true;
  #afterIndex = false;

  constructor(format: string, values: readonly Value[], maxBytes: number) {
    this.#format = format;
    this.#values = values;
    this.#printer = new Printer(maxBytes);
  }

  run(): string {
    while (this.#at < this.#format.length) {
      const percent = this.#format.indexOf('%', this.#at);
      const end = percent < 0 ? this.#format.length : percent;
      this.#write(this.#format.slice(this.#at, end));
      this.#at = end + 1;
      if (percent >= 0) this.#directive();
    }
    if (!this.#reordered && this.#argument < this.#values.length) this.#extra();
    return this.#out;
  }

  #write(text: string): void {
    this.#out += this.#printer.text(text);
  }

  #directive(): void {
    this.#printer.flags = noFlags();
    this.#goodIndex = true;
    this.#afterIndex = false;
    this.#readFlags();
    this.#readIndex();
    this.#readWidth();
    this.#readPrecision();
    if (!this.#afterIndex) this.#readIndex();
    const { size } = decodeRune(this.#format, this.#at);
    const verb = this.#format.slice(this.#at, this.#at + size);
    this.#at += size;
    if (verb === '') this.#write('%!(NOVERB)');
    else this.#out += this.#verb(verb);
  }

  #readFlags(): void {
    const { flags } = this.#printer;
    for (; ; this.#at++) {
      switch (this.#format[this.#at]) {
        case '#':
          flags.sharp = true;
          break;
        case '0':
          flags.zero = true;
          break;
        case '+':
          flags.plus = true;
          break;
        case '-':
          flags.minus = true;
          break;
        case ' ':
          flags.space = true;
          break;
        default:
          return;
      }
    }
  }

  /** `[n]` */
  #readIndex(): void {
    this.#afterIndex = false;
    if (this.#format[this.#at] !== '[') return;
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at + 1);
    if (close < 0) {
      this.#goodIndex = false;
      this.#at += 1;
      return;
    }
    const text = this.#format.slice(this.#at + 1, close);
    this.#at = close + 1;
    const index = /^[0-9]+$/.test(text) ? Number(text) - 1 : -1;
    const known = /^[0-9]+$/.test(text) && Number(text) <= MAX_NUMBER;
    this.#afterIndex = known;
    if (known && index >= 0 && index < this.#values.length) this.#argument = index;
    else this.#goodIndex = false;
  }

  #readWidth(): void {
    const { flags } = this.#printer;
    if (this.#format[this.#at] === '*') {
      this.#at++;
      const width = this.#numberArgument();
      if (width === undefined) this.#write('%!(BADWIDTH)');
      else {
        flags.width = Math.abs(width);
        if (width < 0) [flags.minus, flags.zero] = [true, false];
      }
      this.#afterIndex = false;
      return;
    }
    const width = this.#readNumber();
    if (width === undefined) return;
    flags.width = width;
    if (this.#afterIndex) this.#goodIndex = false;
  }

  #readPrecision(): void {
    if (this.#format[this.#at] !== '.' || this.#at + 1 >= this.#format.length) return;
    const { flags } = this.#printer;
    this.#at++;
    if (this.#afterIndex) this.#goodIndex = false;
    this.#readIndex();
    if (this.#format[this.#at] !== '*') {
      flags.precision = this.#readNumber() ?? 0;
      return;
    }
    this.#at++;
    const precision = this.#numberArgument();
    if (precision !== undefined && precision >= 0) flags.precision = precision;
    else this.#write('%!(BADPREC)');
    this.#afterIndex = false;
  }

  /** Digits that stand here; a number that is too large swallows the rest of the format. */
  #readNumber(): number | undefined {
    let number: number | undefined;
    for (let char = this.#format[this.#at]; char !== undefined && char >= '0' && char <= '9'; char = this.#format[this.#at]) {
      if ((number ?? 0) > MAX_NUMBER) {
        this.#at = this.#format.length;
        return undefined;
      }
      number = (number ?? 0) * 10 + Number(char);
      this.#at++;
    }
    return number;
  }

  /** For `*`. */
  #numberArgument(): number | undefined {
    if (this.#argument >= this.#values.length) return undefined;
    const value = integerOf(this.#values[this.#argument++]);
    return value === undefined || value > MAX_NUMBER || value < -MAX_NUMBER ? undefined : Number(value);
  }

  #verb(verb: string): string {
    const { flags } = this.#printer;
    if (verb === '%') return this.#printer.text('%');
    if (!this.#goodIndex) return this.#printer.text(`%!${verb}(BADINDEX)`);
    const value = this.#values[this.#argument];
    if (value === undefined) return this.#printer.text(`%!${verb}(MISSING)`);
    if (verb === 'v' || verb === 'w') {
      [flags.sharpV, flags.sharp] = [flags.sharp, false];
      [flags.plusV, flags.plus] = [flags.plus, false];
    }
    this.#argument++;
    return this.#printer.print(value, verb);
  }

  #extra(): void {
    this.#printer.flags = noFlags();
    this.#write('%!(EXTRA ');
    for (const [index, value] of this.#values.slice(this.#argument).entries()) {
      if (index > 0) this.#write(', ');
      this.#write(value === null ? '<nil>' : `${typeNameOf(value)}=`);
      if (value !== null) this.#out += this.#printer.print(value, 'v');
    }
    this.#write(')');
  }
}
