/** Where something starts; both count from 1, columns in characters. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface NodeBase extends Position {
  readonly anchor?: string;
  /** The tag as written, `!!` for `tag:yaml.org,2002:`; empty when none is written. */
  readonly tag: string;
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: ScalarStyle;
}

export interface SequenceNode extends NodeBase {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
}

export interface MappingEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

export interface MappingNode extends NodeBase {
  readonly kind: 'mapping';
  readonly entries: MappingEntry[];
}

export interface AliasNode extends NodeBase {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: Exclude<YamlNode, AliasNode>;
}

export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;
export type ContentNode = Exclude<YamlNode, AliasNode>;

/** The node an alias stands for, any other node itself. */
export function dealias(node: YamlNode): ContentNode {
  return node.kind === 'alias' ? node.target : node;
}

/** Whether a key is `<<` as a merge key: plain, or tagged as one. */
export function isMergeKey(key: YamlNode): boolean {
  if (key.kind !== 'scalar' || key.text !== '<<') return false;
  return key.tag === '!!merge' || ((key.tag === '' || key.tag === '!') && key.style === 'plain');
}
