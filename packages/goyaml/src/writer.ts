/** Where the output stands, as libyaml's emitter keeps it: whether only indentation was written on this line so far. */
export class Writer {
  readonly #parts: string[] = [];
  #column = 0;
  #afterSpace = true;
  #inIndentation = true;

  toString(): string {
    return this.#parts.join('');
  }

  /** Text without line breaks. */
  text(text: string): void {
    this.#parts.push(text);
    this.#column += text.length;
    this.#afterSpace = false;
    this.#inIndentation = false;
  }

  /** A line break as the text has it. */
  lineBreak(char = '\n'): void {
    this.#parts.push(char);
    this.#column = 0;
    this.#afterSpace = true;
    this.#inIndentation = true;
  }

  /** A new line unless one was just started, then spaces up to `indent`. */
  indentTo(indent: number): void {
    const used = !this.#inIndentation || this.#column > indent || (this.#column === indent && !this.#afterSpace);
    if (used) this.lineBreak();
    if (this.#column < indent) this.#parts.push(' '.repeat(indent - this.#column));
    this.#column = Math.max(this.#column, indent);
    this.#afterSpace = true;
  }

  /** A space unless there is one. */
  separate(): void {
    if (this.#afterSpace) return;
    this.#parts.push(' ');
    this.#column++;
    this.#afterSpace = true;
  }

  /** `-`, `?` or `:` of a block: what follows may start a block on the same line. */
  blockIndicator(indicator: string): void {
    this.separate();
    this.#parts.push(indicator);
    this.#column += indicator.length;
    this.#afterSpace = false;
  }
}
