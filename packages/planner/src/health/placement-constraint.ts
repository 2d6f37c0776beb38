import type { LiveNode } from '../live.ts';

function ipv4Number(address: string): number | undefined {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

function inSubnet(address: string, subnet: string): boolean {
  const [base = '', bits = ''] = subnet.split('/');
  const network = ipv4Number(base);
  const host = ipv4Number(address);
  const size = 2 ** (32 - Number(bits));
  return network !== undefined && host !== undefined && Math.floor(host / size) === Math.floor(network / size);
}

function nodeValue(node: LiveNode, key: string): string | undefined {
  const lower = key.toLowerCase();
  if (lower.startsWith('node.labels.')) return node.labels[key.slice('node.labels.'.length)] ?? '';
  if (lower.startsWith('engine.labels.')) return node.engineLabels[key.slice('engine.labels.'.length)] ?? '';
  switch (lower) {
    case 'node.id':
      return node.id;
    case 'node.hostname':
      return node.hostname;
    case 'node.ip':
      return node.address;
    case 'node.role':
      return node.role;
    case 'node.platform.os':
      return node.platform.os;
    case 'node.platform.arch':
      return node.platform.architecture;
    default:
      return undefined;
  }
}

function admitsOne(node: LiveNode, constraint: string): boolean {
  const [, key = '', operator, expected = ''] = /^\s*(.+?)\s*(==|!=)\s*(.*?)\s*$/.exec(constraint) ?? [];
  const actual = nodeValue(node, key);
  if (operator === undefined || actual === undefined) return false;
  const equal =
    key.toLowerCase() === 'node.ip' && expected.includes('/')
      ? inSubnet(actual, expected)
      : actual.toLowerCase() === expected.toLowerCase();
  return equal === (operator === '==');
}

/**
 * Whether a node meets all placement constraints (swarmkit `manager/constraint`: `==` and `!=`, values without regard to case, a
 * missing label is empty, `node.ip` may be a subnet). A constraint nobody knows admits no node.
 */
export function admitsNode(node: LiveNode, constraints: readonly string[]): boolean {
  return constraints.every((constraint) => admitsOne(node, constraint));
}
