import type { ConfigReferenceSpec } from '../engine.ts';
import type { Service } from '../model.ts';
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
  const target = [config, scopedName(context.stack, config)].find((candidate) => names.includes(candidate));
  if (config && !target)
    context.problems.add(
      [...path, 'config'],
      `no config is named ${config} or ${scopedName(context.stack, config)}; one with a name: of its own cannot be used here`,
    );
  return { Config: config && (target ?? ''), File: file, Registry: registry };
}
