import type { Mount, ServiceSpec } from '@hivekeep/compose';
import type { Issue } from '@hivekeep/contracts';
import { pathsInLogOptions, pathsInVolumeOptions, permitsPath, refusePath } from './host-paths.ts';
import { type PolicyInput, refusal, servicePath } from './policy-input.ts';

/** Capabilities that open the node's file system whatever is mounted (capabilities(7)). */
const HOST_CAPABILITIES: ReadonlySet<string> = new Set([
  'ALL',
  'CAP_ALL',
  'CAP_SYS_ADMIN',
  'CAP_SYS_MODULE',
  'CAP_SYS_RAWIO',
  'CAP_DAC_READ_SEARCH',
]);
const OVERLAY_DRIVERS: ReadonlySet<string> = new Set(['', 'overlay']);

function pathIssues(paths: readonly string[], where: string, allowed: readonly string[]): Issue[] {
  return paths.flatMap((path) => {
    const why = refusePath(allowed, path);
    return why === undefined ? [] : [refusal('host-path', where, why)];
  });
}

function mountIssues(mount: Mount, where: string, allowed: readonly string[]): Issue[] {
  const type = mount.Type?.toLowerCase() || 'bind';
  if (type === 'bind' || type === 'npipe') return pathIssues([mount.Source ?? ''], where, allowed);
  const driver = mount.VolumeOptions?.DriverConfig;
  return driver ? pathIssues(pathsInVolumeOptions(driver.Name, driver.Options ?? {}), where, allowed) : [];
}

function capabilityIssues(service: ServiceSpec, allowed: readonly string[]): Issue[] {
  if (permitsPath(allowed, '/')) return [];
  return (service.TaskTemplate.ContainerSpec?.CapabilityAdd ?? [])
    .filter((capability) => HOST_CAPABILITIES.has(capability.toUpperCase()) || HOST_CAPABILITIES.has(`CAP_${capability.toUpperCase()}`))
    .map((capability) =>
      refusal(
        'capability',
        `${servicePath(service.Name)}.cap_add`,
        `capability ${capability} opens the whole node; only an application that is allowed '/' in allow.hostPaths may have it`,
      ),
    );
}

/** What keeps a process that breaks out of its container away from the node; a compose file turns it off by `security_opt`. */
function confinementIssues(service: ServiceSpec, allowed: readonly string[]): Issue[] {
  const privileges = service.TaskTemplate.ContainerSpec?.Privileges;
  if (!privileges || permitsPath(allowed, '/')) return [];
  const off = [
    ['seccomp', modeOf(privileges.Seccomp) !== 'default'],
    ['apparmor', modeOf(privileges.AppArmor) !== 'default'],
    ['label', Object.keys(privileges.SELinuxContext ?? {}).length > 0],
  ] as const;
  return off
    .filter(([, isOff]) => isOff)
    .map(([name]) =>
      refusal(
        'confinement',
        `${servicePath(service.Name)}.security_opt`,
        `${name} is not the node's own; only an application that is allowed '/' in allow.hostPaths may change it`,
      ),
    );
}

/** The mode of a seccomp or AppArmor setting; the daemon's default when there is none. */
function modeOf(setting: unknown): string {
  const mode = typeof setting === 'object' && setting !== null && 'Mode' in setting ? setting.Mode : undefined;
  return typeof mode === 'string' && mode !== '' ? mode : 'default';
}

function serviceIssues(service: ServiceSpec, allowed: readonly string[]): Issue[] {
  const where = servicePath(service.Name);
  const mounts = service.TaskTemplate.ContainerSpec?.Mounts ?? [];
  return [
    ...mounts.flatMap((mount) => mountIssues(mount, `${where}.volumes[${mount.Target}]`, allowed)),
    ...pathIssues(pathsInLogOptions(service.TaskTemplate.LogDriver?.Options ?? {}), `${where}.logging.options`, allowed),
    ...capabilityIssues(service, allowed),
    ...confinementIssues(service, allowed),
  ];
}

/**
 * Refuses what reaches a node's file system or network past `allow.hostPaths` and `allow.networks`: bind mounts and pipes, volumes whose
 * driver options are a bind in disguise, log options with paths, capabilities that open the node, confinement
 * turned off, network drivers other than overlay.
 */
export function checkHostAccess({ objects, allow }: PolicyInput): Issue[] {
  const allowed = allow.hostPaths ?? [];
  const declared = objects.volumes.flatMap((volume) =>
    pathIssues(pathsInVolumeOptions(volume.driver, volume.driverOpts ?? {}), `volumes.${volume.name}.driver_opts`, allowed),
  );
  const networks = objects.networks
    .filter((network) => !OVERLAY_DRIVERS.has(network.Driver ?? '') && !allow.networks?.includes(network.Name))
    .map((network) =>
      refusal(
        'network-driver',
        `networks.${network.Name}.driver`,
        `network driver '${network.Driver}' joins the node's own network; use overlay, or add '${network.Name}' to allow.networks of the application`,
      ),
    );
  const unique = new Map(
    [...objects.services.flatMap((service) => serviceIssues(service, allowed)), ...declared, ...networks].map((issue) => [
      `${issue.path} ${issue.message}`,
      issue,
    ]),
  );
  return [...unique.values()];
}
