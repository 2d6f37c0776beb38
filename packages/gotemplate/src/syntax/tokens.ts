export type TokenType =
  | 'text'
  | 'left-delim'
  | 'right-delim'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | 'left-paren'
  | 'right-paren'
  | 'char'
  | 'string'
  | 'raw-string'
  | 'char-constant'
  | 'number'
  | 'complex'
  | 'bool'
  | 'nil'
  | 'dot'
  | 'field'
  | 'variable'
  | 'identifier'
  | 'keyword'
  | 'comment'
  | 'error'
  | 'eof';

export interface Token {
  readonly type: TokenType;
  /** As written; of an error its message. */
  readonly text: string;
  /** In bytes. */
  readonly position: number;
}

export const keywords = new Set(['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'template', 'with']);
