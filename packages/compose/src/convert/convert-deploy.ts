import type { Placement, Resources, RestartPolicy, ServiceMode, UpdateConfig } from '../engine.ts';
import type { Deploy, Reservation, Service, UpdatePolicy } from '../model.ts';
import { exactInt, type Int } from '../value.ts';
import type { ConvertContext } from './context.ts';
import { parseCpus } from './cpus.ts';
import { float32, omitEmpty, wireInt } from './wire.ts';

const MODES = ['replicated', 'global', 'replicated-job', 'global-job'];

/** `deploy.mode` with its number of replicas. */
export function convertMode(context: ConvertContext, name: string, deploy: Deploy): ServiceMode {
  const mode = deploy.mode ?? 'replicated';
  const path = ['services', name, 'deploy'];
  const count = deploy.replicas === undefined ? undefined : wireInt(deploy.replicas);
  if (!MODES.includes(mode)) context.problems.add([...path, 'mode'], `expected one of ${MODES.join(', ')}, found ${JSON.stringify(mode)}`);
  if (mode.startsWith('global') && count !== undefined)
    context.problems.add([...path, 'replicas'], `replicas can only be used with replicated or replicated-job mode, the mode is ${mode}`);
  if (mode === 'global') return { Global: {} };
  if (mode === 'global-job') return { GlobalJob: {} };
  if (mode === 'replicated-job') return { ReplicatedJob: count === undefined ? {} : { MaxConcurrent: count, TotalCompletions: count } };
  return { Replicated: count === undefined ? {} : { Replicas: count } };
}

export function convertUpdate(
  context: ConvertContext,
  name: string,
  part: 'update_config' | 'rollback_config',
  policy: UpdatePolicy | undefined,
): UpdateConfig | undefined {
  if (!policy) return undefined;
  const ratio = float32(policy.max_failure_ratio ?? 0);
  if (!Number.isFinite(ratio))
    context.problems.add(
      ['services', name, 'deploy', part, 'max_failure_ratio'],
      `expected a ratio from 0 to 1, found ${policy.max_failure_ratio}, which no 32-bit number can hold`,
    );
  return {
    Parallelism: wireInt(policy.parallelism ?? 1),
    ...omitEmpty<Partial<UpdateConfig>>({
      Delay: wireInt(policy.delay),
      FailureAction: policy.failure_action,
      Monitor: wireInt(policy.monitor),
    }),
    MaxFailureRatio: ratio,
    Order: policy.order ?? '',
  };
}

export function convertResources(context: ConvertContext, name: string, deploy: Deploy): Resources {
  const { limits, reservations } = deploy.resources ?? {};
  const out: Resources = {};
  if (limits) {
    out.Limits = omitEmpty<NonNullable<Resources['Limits']>>({
      NanoCPUs: convertCpus(context, name, 'limits', limits.cpus),
      MemoryBytes: wireInt(limits.memory),
      Pids: wireInt(limits.pids),
    });
  }
  if (reservations) {
    out.Reservations = omitEmpty<NonNullable<Resources['Reservations']>>({
      NanoCPUs: convertCpus(context, name, 'reservations', reservations.cpus),
      MemoryBytes: wireInt(reservations.memory),
      GenericResources: convertGeneric(context, name, reservations.generic_resources),
    });
  }
  return out;
}

function convertGeneric(
  context: ConvertContext,
  name: string,
  resources: Reservation['generic_resources'],
): Record<string, unknown>[] | undefined {
  return resources?.map((resource, index) => {
    if (resource)
      return { DiscreteResourceSpec: omitEmpty<Record<string, unknown>>({ Kind: resource.kind, Value: wireInt(resource.value) }) };
    const path = ['services', name, 'deploy', 'resources', 'reservations', 'generic_resources', index];
    if (!context.problems.deviate('generic-resource-empty', path))
      context.problems.add(path, 'expected discrete_resource_spec with kind and value, found nothing');
    return {};
  });
}

function convertCpus(context: ConvertContext, name: string, part: 'limits' | 'reservations', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const cpus = parseCpus(text);
  const path = ['services', name, 'deploy', 'resources', part, 'cpus'];
  if (typeof cpus === 'object') context.problems.add(path, cpus.error);
  else if (fitsInt64(cpus) || context.problems.deviate('number-wraps', path)) return wireInt(exactInt(BigInt.asIntN(64, BigInt(cpus))));
  else context.problems.add(path, `${text} CPUs are more than the engine can count`);
  return undefined;
}

export function convertPlacement(deploy: Deploy): Placement {
  const { constraints, preferences, max_replicas_per_node: max } = deploy.placement ?? {};
  return omitEmpty<Placement>({
    Constraints: constraints,
    Preferences: preferences?.map(({ spread }) => ({ Spread: { SpreadDescriptor: spread ?? '' } })),
    MaxReplicas: wireInt(max),
  });
}

/** `deploy.restart_policy`, or else what the service's `restart` says. */
export function convertRestart(context: ConvertContext, name: string, service: Service): RestartPolicy | undefined {
  const policy = service.deploy?.restart_policy;
  if (!policy) return convertShortRestart(context, name, service.restart ?? '');
  return {
    ...(policy.condition && { Condition: policy.condition }),
    ...(policy.delay !== undefined && { Delay: wireInt(policy.delay) }),
    ...(policy.max_attempts !== undefined && { MaxAttempts: wireInt(policy.max_attempts) }),
    ...(policy.window !== undefined && { Window: wireInt(policy.window) }),
  };
}

function convertShortRestart(context: ConvertContext, name: string, restart: string): RestartPolicy | undefined {
  const [condition, count, extra] = restart.split(/:(.*)/s);
  const fail = (reason: string): undefined =>
    context.problems.add(
      ['services', name, 'restart'],
      `expected no, always, unless-stopped or on-failure[:times], found ${JSON.stringify(restart)}: ${reason}`,
    ) as undefined;
  if (condition === '' && count !== undefined) return fail('no policy before the colon');
  if (count && !(extra === '' && isInt64(count))) return fail('the number of times must be a whole number of 64 bits');
  if (condition === '' || condition === 'no') return undefined;
  if (condition === 'always' || condition === 'unless-stopped') return { Condition: 'any' };
  if (condition !== 'on-failure') return fail('unknown policy');
  const times = BigInt((count || '0').replace('+', ''));
  if (times < 0n && !context.problems.deviate('number-wraps', ['services', name, 'restart']))
    return fail('the number of times is negative');
  return { Condition: 'on-failure', MaxAttempts: wireInt(exactInt(BigInt.asUintN(64, times))) };
}

function isInt64(text: string): boolean {
  return /^[-+]?\d{1,30}$/.test(text) && fitsInt64(BigInt(text.replace('+', '')));
}

function fitsInt64(value: Int): boolean {
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value);
}
