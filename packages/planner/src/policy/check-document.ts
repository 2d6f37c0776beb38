import type { ComposeDocument } from '@hivekeep/compose';
import type { Issue } from '@hivekeep/contracts';
import { refusal } from './policy-input.ts';

function section(document: ComposeDocument, key: string): [string, object][] {
  const value = document[key];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter((entry): entry is [string, object] => typeof entry[1] === 'object' && entry[1] !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Refuses `file:` of configs and secrets and `env_file` of services that are left in a manifest: they would be read from the
 * controller's own disk. Those of compose sources and of charts have been replaced by what they refer to.
 */
export function checkDocument(document: ComposeDocument): Issue[] {
  const left = (kind: string, key: string): Issue[] =>
    section(document, kind)
      .filter(([, entry]) => Object.hasOwn(entry, key))
      .map(([name]) =>
        refusal(
          'file-reference',
          `${kind}.${name}.${key}`,
          `'${key}' would be read from the controller's own disk; give the content another way`,
        ),
      );
  return [...left('configs', 'file'), ...left('secrets', 'file'), ...left('services', 'env_file')];
}
