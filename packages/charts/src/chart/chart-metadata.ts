import { Fields, type Scope } from '@hivekeep/application';
import type { YamlNode } from '@hivekeep/goyaml';
import { type Read, readDocument } from '../problems.ts';
import type { ChartMetadata } from './chart.ts';

/** Reads `Chart.yaml` and reports everything wrong with it. Unknown keys are passed over, as published charts have many. */
export function readChartMetadata(bytes: Uint8Array, file: string): Read<ChartMetadata | undefined> {
  return readDocument(bytes, file, (root, scope) => readRoot(root, scope));
}

function readRoot(root: YamlNode | undefined, scope: Scope): ChartMetadata | undefined {
  const nothing: YamlNode = { kind: 'mapping', entries: [], tag: '', line: 1, column: 1 };
  const fields = Fields.read({ node: root ?? nothing, scope });
  if (fields === undefined) return undefined;
  const name = fields.requiredText('name') ?? '';
  const version = fields.requiredText('version') ?? '';
  const apiVersion = fields.text('apiVersion');
  if (apiVersion !== undefined && apiVersion !== 'v1')
    fields.problem('apiVersion', 'api-version', `expected v1 or nothing, found ${JSON.stringify(apiVersion)}`);
  return {
    name,
    version,
    ...texts(fields, ['appVersion', 'swarmcliVersion', 'description']),
    maintainers: entries(fields, 'maintainers', ['name', 'email', 'url']),
    dependencies: entries(fields, 'dependencies', ['name', 'version', 'repository']),
  };
}

function texts<K extends string>(fields: Fields, keys: readonly K[]): Partial<Record<K, string>> {
  const found: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const text = fields.text(key);
    if (text !== undefined && text !== '') found[key] = text;
  }
  return found;
}

function entries<K extends string>(fields: Fields, key: string, keys: readonly K[]): Partial<Record<K, string>>[] {
  return fields.items(key).flatMap((item) => {
    const entry = Fields.read(item);
    return entry === undefined ? [] : [texts(entry, keys)];
  });
}
