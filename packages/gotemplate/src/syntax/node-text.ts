import type { Node } from './nodes.ts';

const MAX_SHOWN = 60;

/** A node as Go would write it, for messages. */
export function nodeText(node: Node): string {
  switch (node.type) {
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'bool':
      return String(node.value);
    case 'string':
    case 'number':
      return node.literal;
    case 'field':
      return node.names.map((name) => `.${name}`).join('');
    case 'variable':
      return [node.name, ...node.fields].join('.');
    case 'identifier':
      return node.name;
    case 'chain':
      return `${operandText(node.operand)}.${node.fields.join('.')}`;
    case 'command':
      return node.operands.map(operandText).join(' ');
    case 'pipe': {
      const declared = node.variables.length > 0 ? `${node.variables.join(', ')} ${node.assigns ? '=' : ':='} ` : '';
      return declared + node.commands.map(nodeText).join(' | ');
    }
    case 'action':
      return `{{${nodeText(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range':
      return `{{${node.type} ${nodeText(node.pipe)}}}`;
    case 'template':
      return `{{template "${node.name}"${node.pipe ? ` ${nodeText(node.pipe)}` : ''}}}`;
    case 'break':
    case 'continue':
      return `{{${node.type}}}`;
    default:
      return '';
  }
}

const operandText = (node: Node) => (node.type === 'pipe' ? `(${nodeText(node)})` : nodeText(node));

/** The same, cut to what fits into a message. */
export function shortNodeText(node: Node): string {
  const text = nodeText(node);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
