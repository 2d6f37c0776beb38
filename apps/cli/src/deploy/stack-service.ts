/** A service of a compose file, version 3.9, as far as our stacks need one. */
export interface StackService {
  readonly image: string;
  readonly command: readonly string[];
  readonly hostname?: string;
  readonly user?: string;
  readonly init?: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly networks: readonly string[];
  readonly volumes?: readonly (string | { readonly type: 'tmpfs'; readonly target: string })[];
  readonly secrets?: readonly { source: string; target: string; uid: string; mode: number }[];
  readonly configs?: readonly { source: string; target: string }[];
  readonly healthcheck: object;
  readonly deploy: object;
}

/** Who runs a service: without the engine's socket, nobody in particular; with it root, whose socket it is, without capabilities. */
export const NOBODY = '65532';

/** Our services stop within 10 s, and end or note the write in hand. */
export const STOP_GRACE = '15s';

const MONITOR_PORT = 9464;

/** What all our services have in common; the health check asks the process itself, and swarm replaces what does not answer. */
export function ownService(
  service: string,
  options: Pick<StackService, 'image' | 'environment' | 'networks' | 'secrets' | 'configs'> &
    Partial<Pick<StackService, 'hostname' | 'init' | 'volumes'>> & { readonly root?: boolean; readonly deploy: object },
): StackService & { readonly cap_drop: readonly string[]; readonly read_only: boolean; readonly stop_grace_period: string } {
  const { root = false, environment, secrets = [], volumes = [], ...rest } = options;
  return {
    ...rest,
    command: ['service', service],
    user: root ? '0' : NOBODY,
    cap_drop: ['ALL'],
    read_only: true,
    stop_grace_period: STOP_GRACE,
    environment: { ...environment, HIVEKEEP_MONITOR_LISTEN: `:${MONITOR_PORT}`, HIVEKEEP_LOG_FORMAT: 'json' },
    secrets,
    ...(volumes.length > 0 && { volumes }),
    healthcheck: {
      test: ['CMD', 'hivekeep', 'healthcheck', '--server', `http://127.0.0.1:${MONITOR_PORT}`],
      interval: '15s',
      timeout: '10s',
      retries: 4,
      start_period: '90s',
    },
  };
}

/** A secret as a file that only the service's own user reads. */
export function secretFile(source: string, root = false): { source: string; target: string; uid: string; mode: number } {
  return { source, target: source, uid: root ? '0' : NOBODY, mode: 0o400 };
}

export interface DeployOptions {
  readonly memory: string;
  /** How many tasks; on every node when absent. */
  readonly replicas?: number;
  readonly constraints?: readonly string[];
  /** The old task goes when the new one is well: for what may run twice, so that there is always one to take over. */
  readonly startFirst?: boolean;
  /** One task at a time though they are on every node, and each is watched until a failing health check would have shown. */
  readonly careful?: boolean;
}

/** One task at a time is replaced, and the old version comes back when the new one does not get well. */
export function deployment({ memory, replicas, constraints = [], startFirst = false, careful = false }: DeployOptions): object {
  const order = startFirst ? 'start-first' : 'stop-first';
  const parallelism = replicas === undefined && !careful ? 4 : 1;
  return {
    ...(replicas === undefined ? { mode: 'global' } : { mode: 'replicated', replicas }),
    endpoint_mode: 'dnsrr',
    placement: {
      constraints: ['node.platform.os == linux', ...constraints],
      ...(replicas !== undefined && { preferences: [{ spread: 'node.id' }] }),
    },
    resources: { limits: { memory }, reservations: { memory: '32M' } },
    restart_policy: { condition: 'any', delay: '2s' },
    update_config: { parallelism, order, failure_action: 'rollback', monitor: careful ? '60s' : '5s' },
    rollback_config: { parallelism: 0, order },
  };
}
