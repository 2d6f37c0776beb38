import { unquote } from '../text/quote.ts';
import type { ChainNode, CommandNode, Operand, PipeNode } from './nodes.ts';
import { parseNumber } from './parse-number.ts';
import type { TokenStream } from './token-stream.ts';
import type { Token, TokenType } from './tokens.ts';

/** What a pipeline is parsed in. */
export interface Scope {
  readonly stream: TokenStream;
  /** Declared so far, the innermost last; parsing adds to them. */
  readonly variables: string[];
  readonly problemWith: (name: string) => string | undefined;
  /** Parentheses around. */
  depth: number;
  readonly maxDepth: number;
}

const operandTypes: readonly TokenType[] = [
  'bool',
  'char-constant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'raw-string',
  'string',
  'variable',
  'left-paren',
];

/** `declarations? command ('|' command)*` up to and with `end`. */
export function parsePipeline(scope: Scope, context: string, end: TokenType): PipeNode {
  const { stream } = scope;
  const { position } = stream.peekNonSpace();
  const { variables, assigns } = parseDeclarations(scope, context);
  const commands: CommandNode[] = [];
  for (;;) {
    const mark = stream.mark();
    const token = stream.nextNonSpace();
    if (token.type === end) break;
    if (!operandTypes.includes(token.type)) stream.unexpected(token, context);
    stream.rewind(mark);
    commands.push(parseCommand(scope));
  }
  if (commands.length === 0) stream.fail(`missing value for ${context}`, position);
  const literal = commands.findIndex(({ operands: [first] }, index) => index > 0 && literals.includes(first.type));
  if (literal > 0) stream.fail(`non executable command in pipeline stage ${literal + 1}`, position);
  return { type: 'pipe', variables, assigns, commands, position };
}

const literals: readonly Operand['type'][] = ['bool', 'dot', 'nil', 'number', 'string'];

/** `$x :=`, `$x =`, and in a range `$i, $x :=`. */
function parseDeclarations(scope: Scope, context: string): { variables: string[]; assigns: boolean } {
  const { stream } = scope;
  const variables: string[] = [];
  for (;;) {
    const mark = stream.mark();
    const variable = stream.peekNonSpace();
    if (variable.type !== 'variable') return { variables, assigns: false };
    stream.next();
    const next = stream.peekNonSpace();
    const isComma = next.type === 'char' && next.text === ',';
    if (next.type !== 'assign' && next.type !== 'declare' && !isComma) {
      stream.rewind(mark);
      return { variables, assigns: false };
    }
    stream.next();
    variables.push(variable.text);
    scope.variables.push(variable.text);
    if (!isComma) return { variables, assigns: next.type === 'assign' };
    if (context !== 'range' || variables.length >= 2) stream.fail(`too many declarations in ${context}`, variable.position);
    const follows = stream.peekNonSpace().type;
    if (follows !== 'variable' && follows !== 'right-delim' && follows !== 'right-paren') {
      stream.fail('range can only initialize variables', variable.position);
    }
  }
}

/** `operand (space operand)*` */
function parseCommand(scope: Scope): CommandNode {
  const { stream } = scope;
  const { position } = stream.peekNonSpace();
  const operands: Operand[] = [];
  for (;;) {
    stream.peekNonSpace();
    const operand = parseOperand(scope);
    if (operand) operands.push(operand);
    const mark = stream.mark();
    const token = stream.next();
    if (token.type === 'space') continue;
    if (token.type === 'right-delim' || token.type === 'right-paren') stream.rewind(mark);
    else if (token.type !== 'pipe') stream.unexpected(token, 'operand');
    break;
  }
  const [first, ...rest] = operands;
  if (first === undefined) return stream.fail('empty command', position);
  return { type: 'command', operands: [first, ...rest], position };
}

/** `term .Field*` */
function parseOperand(scope: Scope): Operand | undefined {
  const { stream } = scope;
  const term = parseTerm(scope);
  const { position } = stream.peek();
  if (term === undefined || stream.peek().type !== 'field') return term;
  const fields: string[] = [];
  while (stream.peek().type === 'field') fields.push(stream.next().text.slice(1));
  switch (term.type) {
    case 'field':
      return { ...term, names: [...term.names, ...fields], position };
    case 'variable':
      return { ...term, fields: [...term.fields, ...fields], position };
    case 'bool':
    case 'string':
    case 'number':
    case 'nil':
    case 'dot':
      return stream.fail('unexpected . after a literal', position);
    default:
      return { type: 'chain', operand: term, fields, position } satisfies ChainNode;
  }
}

/** A literal, function, variable, field or parenthesized pipeline; undefined when something else follows. */
function parseTerm(scope: Scope): Operand | undefined {
  const { stream } = scope;
  const mark = stream.mark();
  const token = stream.nextNonSpace();
  const { position, text } = token;
  switch (token.type) {
    case 'dot':
    case 'nil':
      return { type: token.type, position };
    case 'bool':
      return { type: 'bool', value: text === 'true', position };
    case 'field':
      return { type: 'field', names: [text.slice(1)], position };
    case 'identifier':
      return identifier(scope, token);
    case 'variable':
      if (!scope.variables.includes(text)) stream.fail(`undefined variable ${JSON.stringify(text)}`, position);
      return { type: 'variable', name: text, fields: [], position };
    case 'char-constant':
    case 'complex':
    case 'number': {
      const number = parseNumber(text, position);
      return typeof number === 'string' ? stream.fail(number, position) : number;
    }
    case 'string':
    case 'raw-string': {
      const value = unquote(text);
      return value === undefined ? stream.fail(`invalid string ${text}`, position) : { type: 'string', literal: text, value, position };
    }
    case 'left-paren':
      return parenthesized(scope, position);
    default:
      stream.rewind(mark);
      return undefined;
  }
}

function identifier({ stream, problemWith }: Scope, { text, position }: Token): Operand {
  const problem = problemWith(text);
  return problem === undefined ? { type: 'identifier', name: text, position } : stream.fail(problem, position);
}

function parenthesized(scope: Scope, position: number): PipeNode {
  if (++scope.depth > scope.maxDepth) scope.stream.fail(`parentheses nested deeper than ${scope.maxDepth}`, position);
  const pipe = parsePipeline(scope, 'parenthesized pipeline', 'right-paren');
  scope.depth--;
  return pipe;
}
