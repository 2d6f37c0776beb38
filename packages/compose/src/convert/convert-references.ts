import type { ConfigReferenceSpec, SecretReferenceSpec } from '../engine.ts';
import type { FileObject, FileReference, Service } from '../model.ts';
import { compareText } from '../order.ts';
import { member } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { scopedName } from './scope.ts';
import { wireInt } from './wire.ts';

interface NamedReference {
  readonly name: string;
  readonly file: { Name: string; UID: string; GID: string; Mode: number };
}

/** Secrets a service mounts, sorted by object name; each reference has its name as its id. */
export function convertSecretReferences(
  context: ConvertContext,
  service: string,
  references: readonly FileReference[],
): SecretReferenceSpec[] {
  return convertFiles(context, service, 'secrets', references).map(({ name, file }) => ({ File: file, SecretID: name, SecretName: name }));
}

/** Configs a service mounts or uses as its credential spec, sorted by object name. */
export function convertConfigReferences(context: ConvertContext, name: string, service: Service): ConfigReferenceSpec[] {
  const files = convertFiles(context, name, 'configs', service.configs ?? []).map(
    ({ name: config, file }): ConfigReferenceSpec => ({ File: file, ConfigID: config, ConfigName: config }),
  );
  const source = service.credential_spec?.config;
  if (!source) return files;
  const definition = findObject(context, 'configs', source);
  if (!definition) {
    context.problems.add(['services', name, 'credential_spec', 'config'], undeclared('configs', source));
    return files;
  }
  const config = scopedName(context.stack, source, definition.name);
  return [...files, { Runtime: {}, ConfigID: config, ConfigName: config }].sort((a, b) => compareText(a.ConfigName, b.ConfigName));
}

function convertFiles(
  context: ConvertContext,
  service: string,
  kind: 'secrets' | 'configs',
  references: readonly FileReference[],
): NamedReference[] {
  const targets = new Map<string, number>();
  const found = references.flatMap((reference, index): NamedReference[] => {
    const path = ['services', service, kind, index];
    const source = reference.source ?? '';
    const definition = findObject(context, kind, source);
    if (!definition) {
      context.problems.add(path, undeclared(kind, source));
      return [];
    }
    const target = reference.target ?? source;
    const first = targets.get(target);
    if (first !== undefined) context.problems.add(path, `the target ${JSON.stringify(target)} is taken by ${kind}[${first}] already`);
    targets.set(target, index);
    const file = { Name: target, UID: reference.uid ?? '0', GID: reference.gid ?? '0', Mode: wireInt(reference.mode ?? 0o444) };
    return [{ name: scopedName(context.stack, source, definition.name), file }];
  });
  return found.sort((a, b) => compareText(a.name, b.name) || compareText(a.file.Name, b.file.Name));
}

function findObject(context: ConvertContext, kind: 'secrets' | 'configs', source: string): FileObject | undefined {
  return member(context.model[kind], source);
}

function undeclared(kind: 'secrets' | 'configs', source: string): string {
  return `the ${kind.slice(0, -1)} ${JSON.stringify(source)} is not declared under the top-level ${kind}`;
}
