import type { Deploy, Service } from '../model.ts';
import type { Path, Problems } from '../problems.ts';
import type { Int } from '../value.ts';

const CONDITIONS = ['none', 'on-failure', 'any'];
const FAILURE_ACTIONS = ['pause', 'continue', 'rollback'];
const ENDPOINT_MODES = ['vip', 'dnsrr'];
const MIN_MEMORY = 4 * 1024 * 1024;
const MIN_CPUS = 0.001;
/** Bytes that an engine takes as the content of one object. Source: swarmkit, `MaxSecretSize` and `MaxConfigSize`. */
const CONTENT_LIMITS = { secrets: 512_000, configs: 1_024_000 };

/** Warns of values of a service that an engine refuses. Source: swarmkit, validation of services. */
export function warnOfValues(service: Service, path: Path, problems: Problems): void {
  const { deploy = {}, ports = [], volumes = [] } = service;
  const warn = (at: Path, message: string) => problems.warn('value-refused', [...path, ...at], message);
  const oneOf = (at: Path, value: string | undefined, allowed: readonly string[]) => {
    if (value !== undefined && !allowed.includes(value))
      warn(at, `expected one of ${allowed.join(', ')}, found ${JSON.stringify(value)}: an engine refuses it`);
  };
  oneOf(['deploy', 'restart_policy', 'condition'], deploy.restart_policy?.condition, CONDITIONS);
  oneOf(['deploy', 'endpoint_mode'], deploy.endpoint_mode?.toLowerCase(), ENDPOINT_MODES);
  for (const part of ['update_config', 'rollback_config'] as const) {
    oneOf(['deploy', part, 'failure_action'], deploy[part]?.failure_action, FAILURE_ACTIONS);
    const { max_failure_ratio: ratio = 0 } = deploy[part] ?? {};
    if (ratio < 0 || ratio > 1) warn(['deploy', part, 'max_failure_ratio'], `expected a ratio from 0 to 1, found ${ratio}`);
  }
  warnOfResources(deploy, warn);
  if (deploy.endpoint_mode?.toLowerCase() === 'dnsrr' && ports.some(({ mode = 'ingress' }) => mode === 'ingress'))
    warn(['deploy', 'endpoint_mode'], 'dnsrr has no ports of the ingress network: publish them with mode: host, or use vip');
  const targets = new Set<string>();
  for (const [index, { target = '' }] of volumes.entries()) {
    if (targets.has(target)) warn(['volumes', index], `something is mounted at ${target} already`);
    targets.add(target);
  }
}

function warnOfResources({ resources = {} }: Deploy, warn: (at: Path, message: string) => void): void {
  for (const part of ['limits', 'reservations'] as const) {
    const { memory, cpus } = resources[part] ?? {};
    const at = ['deploy', 'resources', part];
    if (tooSmall(memory, MIN_MEMORY)) warn([...at, 'memory'], `an engine takes 4m at least, found ${memory} bytes`);
    if (tooSmall(cpus === undefined ? undefined : Number(cpus), MIN_CPUS))
      warn([...at, 'cpus'], `an engine takes ${MIN_CPUS} at least, found ${cpus}`);
  }
}

/** Zero says that there is no limit. */
function tooSmall(value: Int | undefined, least: number): boolean {
  return value !== undefined && value !== 0 && value < least;
}

/** Warns of contents that an engine refuses. */
export function warnOfContents(section: 'configs' | 'secrets', contents: ReadonlyMap<string, Uint8Array>, problems: Problems): void {
  for (const [key, { length }] of contents)
    if (length === 0 || length >= CONTENT_LIMITS[section])
      problems.warn('content-size', [section, key], `an engine takes 1 to ${CONTENT_LIMITS[section] - 1} bytes, found ${length}`);
}
