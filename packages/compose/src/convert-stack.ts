import type { ConvertInput, StackObjects } from './api.ts';
import { convertModel } from './convert/convert-model.ts';
import { decodeModel } from './decode/decode-definitions.ts';
import { Fields } from './decode/fields.ts';
import { DIALECT_KEY } from './document.ts';
import { statedVersion } from './load/version.ts';
import { dropZeros } from './merge/drop-zeros.ts';
import { Problems, refuseHuge } from './problems.ts';
import { composeFile } from './schema/compose-rules.ts';
import { validate } from './schema/validate.ts';
import { importValue, isDict, member } from './value.ts';

/**
 * The swarm objects of a manifest: no policy, no reader, no interpolation. With `kind: 'chart'` the document is one a chart
 * rendered: it is checked against the format, and `$$` in a value is one dollar. Throws `compose/invalid` with every issue,
 * among them each `file:` and `env_file` that is left, because a manifest must not read what is outside of it.
 */
export function convertStack(input: ConvertInput): StackObjects {
  const problems = new Problems();
  const chart = input.kind === 'chart';
  const root = importValue(input.document, chart);
  if (!isDict(root)) problems.add([], 'expected a mapping with services');
  const document = isDict(root) ? root : {};
  refuseFiles(document, problems);
  const minor = statedVersion(document, problems);
  if (chart) validate(document, composeFile, minor, [], problems);
  problems.refuse();
  const dialect = !chart && member(document, DIALECT_KEY) === 'spec' ? 'spec' : 'docker';
  const model = dropZeros(decodeModel(new Fields(document, [], problems), minor, dialect));
  refuseHuge(model, problems);
  problems.refuse();
  return convertModel({ stack: input.stack, model, contents: { configs: input.files ?? {}, secrets: {} }, problems });
}

function refuseFiles(document: Record<string, unknown>, problems: Problems): void {
  for (const section of ['configs', 'secrets'] as const)
    for (const [key, entry] of membersOf(document, section))
      if (isDict(entry) && Object.hasOwn(entry, 'file') && !isExternal(entry))
        problems.add(
          [section, key, 'file'],
          'a manifest cannot read files; use external: true, or a compose source, whose files are read from Git',
        );
  for (const [name, service] of membersOf(document, 'services'))
    if (isDict(service) && Object.hasOwn(service, 'env_file'))
      problems.add(['services', name, 'env_file'], 'a manifest cannot read files; write the variables under environment');
}

function membersOf(document: Record<string, unknown>, section: string): [string, unknown][] {
  const value = member(document, section);
  return isDict(value) ? Object.entries(value) : [];
}

function isExternal(entry: Record<string, unknown>): boolean {
  return entry.external === true || isDict(entry.external);
}
