import type { Issue } from '@hivekeep/contracts';
import { dealias, isMergeKey, type MappingNode, resolveScalar, type YamlNode } from '@hivekeep/goyaml';
import type { ManifestView } from './manifest-view.ts';

/**
 * Refuses a manifest that would not mean everywhere what it says: variables (`$$` is a dollar), merge keys, keys that are no text.
 * A value is never shown.
 */
export function interpolationProblems({ root }: ManifestView): Issue[] {
  const issues: Issue[] = [];
  walk(root, '', issues);
  return issues;
}

function walk(node: YamlNode, path: string, issues: Issue[]): void {
  const content = dealias(node);
  if (content.kind === 'mapping') walkMapping(content, path, issues);
  else if (content.kind === 'sequence') for (const [index, item] of content.items.entries()) walk(item, `${path}[${index}]`, issues);
  else if (hasVariable(content.text) && resolvesToText(content)) {
    const message = 'holds a variable, which a chart may not leave to the environment of whoever deploys it; write $$ for a dollar';
    issues.push({ path, rule: 'interpolation', message });
  }
}

function walkMapping(node: MappingNode, path: string, issues: Issue[]): void {
  for (const { key, value } of node.entries) {
    const name = dealias(key);
    if (isMergeKey(key)) issues.push({ path, rule: 'merge-key', message: 'a manifest holds no merge key <<' });
    else if (name.kind !== 'scalar' || !resolvesToText(name))
      issues.push({
        path,
        rule: 'key-type',
        message: `the key ${name.kind === 'scalar' ? name.text : 'here'} is no text; put it in quotes`,
      });
    walk(value, name.kind === 'scalar' ? join(path, name.text) : path, issues);
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function resolvesToText(node: Extract<YamlNode, { kind: 'scalar' }>): boolean {
  const resolved = resolveScalar(node);
  return 'value' in resolved && typeof resolved.value === 'string';
}

/** A `$` that is no half of `$$`: compose files would put a variable there, or choke on it. */
function hasVariable(text: string): boolean {
  return text.replaceAll('$$', '').includes('$');
}
