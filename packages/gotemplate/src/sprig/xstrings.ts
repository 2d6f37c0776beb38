import { ByteWriter, decodeRune, RUNE_ERROR } from '../text/bytes.ts';
import { isLetter, isNumber, isPunct, isSpace, isUpper, toLower, toUpper } from '../text/unicode.ts';

/** `camelcase`, `snakecase` and `kebabcase` as huandu/xstrings v1.5.0 makes them. */

const isConnector = (rune: number) => rune === 0x2d || rune === 0x5f || isSpace(rune);

/** `http_server` as `HttpServer`; connectors in front stay. */
export function toPascalCase(text: string): string {
  let at = 0;
  const out = new ByteWriter(text.length);
  let current = { rune: 0, size: 0 };
  let firstIsUpper = false;
  while (at < text.length) {
    current = decodeRune(text, at);
    at += current.size;
    if (!isConnector(current.rune)) {
      firstIsUpper = isUpper(current.rune);
      break;
    }
    out.writeRune(current.rune);
  }
  if (text === '') return '';
  let rune = isConnector(current.rune) ? current.rune : toUpper(current.rune);
  while (at < text.length) {
    const previous = rune;
    const next = decodeRune(text, at);
    rune = next.rune;
    at += next.size;
    if (isConnector(rune) && isConnector(previous)) {
      out.writeRune(previous);
      continue;
    }
    if (isConnector(previous)) {
      firstIsUpper = isUpper(rune);
      rune = toUpper(rune);
      continue;
    }
    if (firstIsUpper && isUpper(rune)) rune = toLower(rune);
    else firstIsUpper = false;
    out.writeRune(previous);
  }
  out.writeRune(rune);
  return out.toString();
}

type WordKind = 'none' | 'invalid' | 'number' | 'upper' | 'alphabet' | 'connector' | 'punct' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly text: string;
  /** Where the next one starts. */
  readonly end: number;
}

/** Chinese characters are letters but form no alphabet. */
const isAlphabet = (rune: number) => isLetter(rune) && !isIdeograph(rune);
const isIdeograph = (rune: number) =>
  (rune >= 0x4e00 && rune <= 0x9fcc) || (rune >= 0x3400 && rune <= 0x4d85) || (rune >= 0x20000 && rune <= 0x2b81d);

/** The next letter that is UTF-8, broken bytes before it included; the previous one when there is none. */
function nextValidRune(text: string, at: number, previous: number): { rune: number; size: number } {
  let size = 0;
  while (at + size < text.length) {
    const next = decodeRune(text, at + size);
    size += next.size;
    if (next.rune !== RUNE_ERROR) return { rune: next.rune, size };
  }
  return { rune: previous, size };
}

function nextWord(text: string, start: number): Word {
  if (start >= text.length) return { kind: 'none', text: '', end: start };
  const first = nextValidRune(text, start, RUNE_ERROR);
  const after = start + first.size;
  const word = (kind: WordKind, end: number): Word => ({ kind, text: text.slice(start, end), end });
  const whileFits = (fits: (rune: number) => boolean, from = after) => {
    let at = from;
    for (let rune = first.rune; at < text.length; ) {
      const next = nextValidRune(text, at, rune);
      rune = next.rune;
      if (!fits(rune)) break;
      at += next.size;
    }
    return at;
  };
  if (first.rune === RUNE_ERROR) return word('invalid', after);
  if (isConnector(first.rune)) return word('connector', whileFits(isConnector));
  if (isPunct(first.rune)) return word('punct', whileFits(isPunct));
  if (isUpper(first.rune)) return word('upper', upperEnd(text, after, first.rune, whileFits));
  if (isAlphabet(first.rune)) return word('alphabet', whileFits(isLowerAlphabet));
  if (isNumber(first.rune)) return word('number', whileFits(isNumber));
  return word(
    'other',
    whileFits((rune) => !(isConnector(rune) || isAlphabet(rune) || isNumber(rune) || isPunct(rune))),
  );
}

const isLowerAlphabet = (rune: number) => isAlphabet(rune) && !isUpper(rune);

/** `HTTPServer` ends after `HTTP`: the last capital belongs to the word that follows it. */
function upperEnd(
  text: string,
  after: number,
  first: number,
  whileFits: (fits: (rune: number) => boolean, from?: number) => number,
): number {
  if (after >= text.length) return after;
  const second = nextValidRune(text, after, first);
  if (!isUpper(second.rune)) return isAlphabet(second.rune) ? whileFits(isLowerAlphabet) : after;
  const end = whileFits(isUpper);
  if (end >= text.length || !isAlphabet(nextValidRune(text, end, 0).rune)) return end;
  let last = after;
  for (let at = after; at < end; at += nextValidRune(text, at, 0).size) last = at;
  return last;
}

/** `HTTPServer2` as `http_server_2`, with any connector. */
export function toWordsWith(text: string, connector: string): string {
  const writer = new WordWriter(text, connector);
  return writer.run();
}

class WordWriter {
  readonly #text: string;
  readonly #connector: string;
  readonly #out = new ByteWriter(64);
  #word: Word;

  constructor(text: string, connector: string) {
    this.#text = text;
    this.#connector = connector;
    this.#word = nextWord(text, 0);
  }

  get #atEnd(): boolean {
    return this.#word.end >= this.#text.length;
  }

  run(): string {
    while (!this.#atEnd) {
      const previous = this.#word;
      if (previous.kind !== 'connector') this.#write(previous);
      this.#advance();
      if (previous.kind === 'connector') this.#write(previous);
      else if (previous.kind === 'number') this.#afterNumber();
      else if (previous.kind !== 'punct') this.#afterWord();
    }
    this.#write(this.#word);
    return this.#out.toString();
  }

  #advance(): void {
    this.#word = nextWord(this.#text, this.#word.end);
  }

  #isKind(...kinds: WordKind[]): boolean {
    return kinds.includes(this.#word.kind);
  }

  #writeWordsAndNumbers(): void {
    while (this.#isKind('alphabet', 'number')) {
      this.#write(this.#word);
      this.#advance();
    }
    if (!this.#isKind('none', 'invalid', 'punct', 'connector')) this.#out.write(this.#connector);
  }

  #afterNumber(): void {
    this.#writeWordsAndNumbers();
  }

  #afterWord(): void {
    if (!this.#isKind('number')) {
      if (!this.#isKind('connector', 'punct')) this.#out.write(this.#connector);
      return;
    }
    if (this.#atEnd) return;
    const number = this.#word;
    this.#advance();
    if (!this.#isKind('alphabet')) {
      this.#write(number);
      if (!this.#isKind('connector', 'punct')) this.#out.write(this.#connector);
      return;
    }
    this.#out.write(this.#connector);
    this.#write(number);
    this.#writeWordsAndNumbers();
  }

  /** Capitals in lower case, spaces and the like as the connector. */
  #write({ kind, text }: Word): void {
    if (kind !== 'upper' && kind !== 'connector') {
      this.#out.write(text);
      return;
    }
    for (let at = 0; at < text.length; ) {
      const { rune, size } = decodeRune(text, at);
      at += size;
      if (isConnector(rune)) this.#out.write(this.#connector);
      else this.#out.writeRune(isUpper(rune) ? toLower(rune) : rune);
    }
  }
}
