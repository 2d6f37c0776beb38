import { Fields, type Scope } from '@hivekeep/application';
import type { Issue } from '@hivekeep/contracts';
import type { YamlNode } from '@hivekeep/goyaml';
import { chartError, isEmptyDocument, readDocument } from '../problems.ts';
import type { RequiredNetwork, RequiredObject, Requirements } from './requirements.ts';

/** Reads rendered requirements. Throws `chart/invalid` with every problem. */
export function readRequirements(bytes: Uint8Array, file: string): Requirements {
  const { value, issues } = readDocument(bytes, file, readRoot);
  if (value === undefined || issues.length > 0) throw chartError(issues);
  return value;
}

/**
 * What is wrong with requirements before they are rendered: entries without a name. What does not read as requirements must be a
 * template, of which nothing can be said yet.
 */
export function requirementsProblems(bytes: Uint8Array, file: string): readonly Issue[] {
  const { issues } = readDocument(bytes, file, readRoot);
  return issues.every(({ rule }) => rule === 'required') ? issues : [];
}

function readRoot(root: YamlNode | undefined, scope: Scope): Requirements {
  const fields = root === undefined || isEmptyDocument(root) ? undefined : Fields.read({ node: root, scope });
  if (fields === undefined) return { networks: [], secrets: [], configs: [] };
  return {
    networks: entries(fields, 'networks', readNetwork),
    secrets: entries(fields, 'secrets', readObject),
    configs: entries(fields, 'configs', readObject),
  };
}

function entries<T>(fields: Fields, key: string, read: (entry: Fields) => T): T[] {
  return fields.items(key).flatMap((item) => {
    const entry = Fields.read(item);
    return entry === undefined ? [] : [read(entry)];
  });
}

function readObject(entry: Fields): RequiredObject {
  const name = entry.requiredText('name') ?? '';
  const description = entry.text('description');
  return { name, ...(description !== undefined && { description }) };
}

function readNetwork(entry: Fields): RequiredNetwork {
  const flag = (key: string): boolean => !entry.has(key) || entry.flag(key);
  return {
    ...readObject(entry),
    driver: entry.text('driver') || 'overlay',
    attachable: flag('attachable'),
    autoCreate: flag('autoCreate'),
  };
}
