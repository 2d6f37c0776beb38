import type { ConfigReferenceSpec } from '../engine.ts';
import type { Service } from '../model.ts';
import type { Path } from '../problems.ts';
import { member } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { scopedName } from './scope.ts';

interface CredentialSpec {
  Config: string;
  File: string;
  Registry: string;
}

/** `credential_spec`, of which one of config, file and registry may be given; null when none is. */
export function convertCredentialSpec(
  context: ConvertContext,
  name: string,
  service: Service,
  configs: readonly ConfigReferenceSpec[],
): CredentialSpec | null {
  const { config = '', file = '', registry = '' } = service.credential_spec ?? {};
  const given = [config && 'config', file && 'file', registry && 'registry'].filter(Boolean);
  const path = ['services', name, 'credential_spec'];
  if (given.length > 1) context.problems.add(path, `${given.join(' and ')} are given; keep one of them`);
  if (given.length !== 1) return null;
  const names = configs.map((reference) => reference.ConfigName);
  const target =
    [config, scopedName(context.stack, config)].find((candidate) => names.includes(candidate)) ?? ownName(context, config, path);
  if (config && !target) context.problems.add([...path, 'config'], `no config is named ${config} or ${scopedName(context.stack, config)}`);
  return { Config: config && (target ?? ''), File: file, Registry: registry };
}

/** The name that the config's definition gives it. */
function ownName(context: ConvertContext, config: string, path: Path): string | undefined {
  const name = member(context.model.configs, config)?.name;
  return name && !context.problems.deviate('credential-spec-name', path) ? name : undefined;
}
