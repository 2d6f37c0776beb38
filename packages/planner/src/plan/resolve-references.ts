import type { ServiceSpec } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';

function idOf(kind: 'config' | 'secret', name: string, service: string, ids: ReadonlyMap<string, string>): string {
  const id = ids.get(`${kind}/${name}`);
  if (id !== undefined) return id;
  throw new HivekeepError(
    'swarm/gone',
    `service '${service}' needs the ${kind} '${name}', which is not on the swarm any more; it is made again by the next pass`,
  );
}

/**
 * A service spec with the ids the daemon wants in place of names. `ids` is keyed `config/<name>`, `secret/<name>` and, where known,
 * `network/<name>`; a network not in it keeps its name, which the daemon resolves itself. Throws `swarm/gone` for a config or secret
 * that has no id.
 */
export function resolveReferences(spec: ServiceSpec, ids: ReadonlyMap<string, string>): ServiceSpec {
  const container = spec.TaskTemplate.ContainerSpec;
  const found = container?.Privileges?.CredentialSpec;
  const credential = typeof found === 'object' && found !== null ? found : {};
  const config = 'Config' in credential ? credential.Config : undefined;
  const resolved = container && {
    ...container,
    ...(container.Secrets && {
      Secrets: container.Secrets.map((ref) => ({ ...ref, SecretID: idOf('secret', ref.SecretName, spec.Name, ids) })),
    }),
    ...(container.Configs && {
      Configs: container.Configs.map((ref) => ({ ...ref, ConfigID: idOf('config', ref.ConfigName, spec.Name, ids) })),
    }),
    ...(typeof config === 'string' &&
      config !== '' && {
        Privileges: { ...container.Privileges, CredentialSpec: { ...credential, Config: idOf('config', config, spec.Name, ids) } },
      }),
  };
  const networks = spec.TaskTemplate.Networks?.map((attachment) => ({
    ...attachment,
    Target: ids.get(`network/${attachment.Target}`) ?? attachment.Target,
  }));
  return {
    ...spec,
    TaskTemplate: { ...spec.TaskTemplate, ...(resolved && { ContainerSpec: resolved }), ...(networks && { Networks: networks }) },
  };
}
