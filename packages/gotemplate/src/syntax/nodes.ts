import type { Value } from '../values.ts';

interface Placed {
  /** In bytes from the start of the file. */
  readonly position: number;
}

export interface DotNode extends Placed {
  readonly type: 'dot';
}
export interface NilNode extends Placed {
  readonly type: 'nil';
}
export interface BoolNode extends Placed {
  readonly type: 'bool';
  readonly value: boolean;
}
export interface StringNode extends Placed {
  readonly type: 'string';
  /** As written, with its quotes. */
  readonly literal: string;
  readonly value: string;
}

/** A number literal in every type that it fits; Go decides by where it is used. */
export interface NumberNode extends Placed {
  readonly type: 'number';
  readonly literal: string;
  readonly int: bigint | undefined;
  readonly uint: bigint | undefined;
  readonly float: number | undefined;
  readonly complex: { readonly re: number; readonly im: number } | undefined;
  /** What it is where no type is asked for; undefined when it overflows int. */
  readonly ideal: Value | undefined;
}

export interface FieldNode extends Placed {
  readonly type: 'field';
  readonly names: readonly string[];
}
export interface VariableNode extends Placed {
  readonly type: 'variable';
  /** With its `$`. */
  readonly name: string;
  readonly fields: readonly string[];
}
export interface IdentifierNode extends Placed {
  readonly type: 'identifier';
  readonly name: string;
}
export interface ChainNode extends Placed {
  readonly type: 'chain';
  readonly operand: Operand;
  readonly fields: readonly string[];
}

export type Operand =
  | DotNode
  | NilNode
  | BoolNode
  | StringNode
  | NumberNode
  | FieldNode
  | VariableNode
  | IdentifierNode
  | ChainNode
  | PipeNode;

export interface CommandNode extends Placed {
  readonly type: 'command';
  readonly operands: readonly [Operand, ...Operand[]];
}

export interface PipeNode extends Placed {
  readonly type: 'pipe';
  /** Names with their `$`. */
  readonly variables: readonly string[];
  /** `=` rather than `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly CommandNode[];
}

export interface TextNode extends Placed {
  readonly type: 'text';
  readonly text: string;
}
export interface ActionNode extends Placed {
  readonly type: 'action';
  readonly pipe: PipeNode;
}
export interface ListNode extends Placed {
  readonly type: 'list';
  readonly nodes: readonly Statement[];
}
export interface BranchNode extends Placed {
  readonly type: 'if' | 'with' | 'range';
  readonly pipe: PipeNode;
  readonly body: ListNode;
  readonly otherwise: ListNode | undefined;
}
export interface TemplateNode extends Placed {
  readonly type: 'template';
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface JumpNode extends Placed {
  readonly type: 'break' | 'continue';
}

export type Statement = TextNode | ActionNode | BranchNode | TemplateNode | JumpNode;
export type Node = Operand | CommandNode | Statement | ListNode;

/** A template: a file, or a `define` or `block` in one. */
export interface Tree {
  readonly name: string;
  /** The file it stands in. */
  readonly file: string;
  readonly source: string;
  readonly root: ListNode;
}

/** Nothing but white space and comments: does not replace an earlier definition. */
export function isBlank(list: ListNode): boolean {
  return list.nodes.every(
    (node) =>
      node.type === 'text' &&
      /^(?:[ \t\n\v\f\r]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)*$/.test(node.text),
  );
}
