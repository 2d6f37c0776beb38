import type { ContainerSpec, HealthConfig, PortConfig, ServiceSpec } from '../engine.ts';
import type { Healthcheck, Service } from '../model.ts';
import { compareText } from '../order.ts';
import { record } from '../value.ts';
import { effectiveCapabilities } from './capabilities.ts';
import type { ConvertContext } from './context.ts';
import { convertMode, convertPlacement, convertResources, convertRestart, convertUpdate } from './convert-deploy.ts';
import { convertMounts } from './convert-mounts.ts';
import { convertAttachments } from './convert-networks.ts';
import { convertConfigReferences, convertSecretReferences } from './convert-references.ts';
import { convertSecurity } from './convert-security.ts';
import { convertCredentialSpec } from './credential-spec.ts';
import { imageToSend } from './image-reference.ts';
import { IMAGE_LABEL, scopedName, stackLabels } from './scope.ts';
import { nonEmpty, omitEmpty, wireInt } from './wire.ts';

/** A service as the Engine API takes it; references have names as ids, what cannot be converted is collected. */
export function convertService(context: ConvertContext, name: string, service: Service): ServiceSpec {
  const deploy = service.deploy ?? {};
  const restart = convertRestart(context, name, service);
  const update = convertUpdate(context, name, 'update_config', deploy.update_config);
  const rollback = convertUpdate(context, name, 'rollback_config', deploy.rollback_config);
  const logOptions = nonEmpty(service.logging?.options);
  return {
    Name: scopedName(context.stack, name),
    Labels: record([...Object.entries(stackLabels(context.stack, deploy.labels)), [IMAGE_LABEL, service.image ?? '']]),
    TaskTemplate: {
      ContainerSpec: convertContainer(context, name, service),
      Resources: convertResources(context, name, deploy),
      ...(restart && { RestartPolicy: restart }),
      Placement: convertPlacement(deploy),
      Networks: convertAttachments(context, name, service),
      ...(service.logging && {
        LogDriver: { ...(service.logging.driver && { Name: service.logging.driver }), ...(logOptions && { Options: logOptions }) } as {
          Name: string;
        },
      }),
      ForceUpdate: 0,
    },
    Mode: convertMode(context, name, deploy),
    ...(update && { UpdateConfig: update }),
    ...(rollback && { RollbackConfig: rollback }),
    EndpointSpec: omitEmpty<NonNullable<ServiceSpec['EndpointSpec']>>({
      Mode: deploy.endpoint_mode?.toLowerCase(),
      Ports: convertPorts(service),
    }),
  };
}

function convertContainer(context: ConvertContext, name: string, service: Service): ContainerSpec {
  const configs = convertConfigReferences(context, name, service);
  const capabilities = effectiveCapabilities(service.cap_add ?? [], service.cap_drop ?? []);
  return {
    ...omitEmpty<ContainerSpec>({
      Image: imageToSend(service.image ?? ''),
      Command: service.entrypoint,
      Args: service.command,
      Hostname: service.hostname,
      Hosts: convertHosts(service.extra_hosts ?? []),
      Env: convertEnvironment(service.environment ?? {}),
      Dir: service.working_dir,
      User: service.user,
      Groups: service.group_add,
      OomScoreAdj: wireInt(service.oom_score_adj),
      Mounts: convertMounts(context, name, service.volumes ?? []),
      StopSignal: service.stop_signal,
      TTY: service.tty,
      OpenStdin: service.stdin_open,
      Secrets: convertSecretReferences(context, name, service.secrets ?? []),
      Configs: configs,
      ReadOnly: service.read_only,
      Isolation: service.isolation,
      Sysctls: nonEmpty(service.sysctls),
      CapabilityAdd: capabilities.add,
      CapabilityDrop: capabilities.drop,
      Ulimits: convertUlimits(service),
    }),
    Labels: stackLabels(context.stack, service.labels),
    Privileges: {
      CredentialSpec: convertCredentialSpec(context, name, service, configs),
      SELinuxContext: null,
      NoNewPrivileges: false,
      ...convertSecurity(context, name, service.security_opt ?? []),
    },
    ...(service.init !== undefined && { Init: service.init }),
    ...(service.stop_grace_period !== undefined && { StopGracePeriod: wireInt(service.stop_grace_period) }),
    ...((service.dns || service.dns_search || service.dns_opt) && {
      DNSConfig: omitEmpty<NonNullable<ContainerSpec['DNSConfig']>>({
        Nameservers: service.dns,
        Search: service.dns_search,
        Options: service.dns_opt,
      }),
    }),
    ...(service.healthcheck && { Healthcheck: convertHealthcheck(context, name, service.healthcheck) }),
  };
}

function convertHealthcheck(context: ConvertContext, name: string, check: Healthcheck): HealthConfig {
  if (check.disable) {
    if (check.test && check.test.length > 0)
      context.problems.add(['services', name, 'healthcheck'], 'test and disable cannot both be given; keep one of them');
    return { Test: ['NONE'] };
  }
  return omitEmpty<HealthConfig>({
    Test: check.test,
    Interval: wireInt(check.interval),
    Timeout: wireInt(check.timeout),
    StartPeriod: wireInt(check.start_period),
    StartInterval: wireInt(check.start_interval),
    Retries: wireInt(check.retries),
  });
}

/** `NAME=value`, or the bare name of a variable without one; sorted by bytes. */
function convertEnvironment(environment: Record<string, string | null>): string[] {
  return Object.entries(environment)
    .map(([name, value]) => (value === null ? name : `${name}=${value}`))
    .sort(compareText);
}

/** `address host`, as the engine takes it; entries without an address are left out. */
function convertHosts(hosts: readonly string[]): string[] {
  return hosts.flatMap((entry) => {
    const colon = entry.indexOf(':');
    return colon < 0 ? [] : [`${entry.slice(colon + 1)} ${entry.slice(0, colon)}`];
  });
}

function convertUlimits(service: Service): NonNullable<ContainerSpec['Ulimits']> {
  return Object.entries(service.ulimits ?? {})
    .map(([Name, limit]) => ({ Name, Hard: wireInt(limit.single || (limit.hard ?? 0)), Soft: wireInt(limit.single || (limit.soft ?? 0)) }))
    .sort((a, b) => compareText(a.Name, b.Name));
}

/** Sorted by published port, those without one first; equal ones keep the order of the file. */
function convertPorts(service: Service): PortConfig[] {
  return (service.ports ?? [])
    .map((port) =>
      omitEmpty<PortConfig>({
        Protocol: port.protocol,
        TargetPort: wireInt(port.target),
        PublishedPort: wireInt(port.published),
        PublishMode: port.mode,
      }),
    )
    .sort((a, b) => (a.PublishedPort ?? 0) - (b.PublishedPort ?? 0));
}
