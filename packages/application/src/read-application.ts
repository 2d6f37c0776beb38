import { type Allow, ApplicationName, DriftDetection, formatDuration, type Spec, SwarmName, type SyncPolicy } from '@hivekeep/contracts';
import { Fields, type Item } from './fields.ts';
import { MIN_INTERVAL } from './policy.ts';
import { readSource } from './read-source.ts';
import type { UrlPolicy } from './repo-url.ts';
import { checkHostPath, checkObjectName } from './rules.ts';

const APPLICATION_KEYS = ['name', 'source', 'registryAuth', 'self', 'strict', 'allow', 'destination', 'syncPolicy', 'driftDetection'];
const POLICY_KEYS = ['automated', 'interval', 'wait', 'timeout', 'historyMax', 'prune', 'pruneVolumes', 'pruneResources', 'pruneFirst'];
const POLICY_FLAGS = ['wait', 'prune', 'pruneVolumes', 'pruneResources', 'pruneFirst'] as const;
const ALLOW_NAMES = ['secrets', 'configs', 'volumes', 'networks'] as const;

/** `online`: a controller that must go on; `offline`: a check before a commit. */
export type LoadMode = 'online' | 'offline';

export interface ReadApplication {
  readonly spec: Spec;
  readonly fields: Fields;
  /** The interval as declared when it is shorter than the shortest that is run, in milliseconds. */
  readonly clampedInterval?: number;
}

/** One entry of `applications`, defaults applied; problems become issues. Undefined when it is no mapping. */
export function readApplication(item: Item, mode: LoadMode, urls: UrlPolicy): ReadApplication | undefined {
  const named = { ...item, scope: { ...item.scope, application: nameOf(item) } };
  const fields = Fields.read(named, APPLICATION_KEYS);
  if (fields === undefined) return undefined;
  const name = readName(fields);
  const source = readSource(fields, name, urls);
  const registryAuth = readRegistryAuth(fields);
  const self = fields.flag('self');
  const driftDetection = readDriftDetection(fields, self);
  if (self && source.chart === undefined) fields.problem('self', 'self', 'needs a chart source');
  const { policy, clampedInterval } = readSyncPolicy(fields, mode);
  const spec: Spec = {
    name,
    source,
    ...(registryAuth && { registryAuth }),
    ...(self && { self }),
    ...(fields.flag('strict') && { strict: true }),
    allow: readAllow(fields),
    destination: readDestination(fields),
    syncPolicy: policy,
    driftDetection,
  };
  return { spec, fields, ...(clampedInterval !== undefined && { clampedInterval }) };
}

/** The name for messages, before anything is checked. */
function nameOf({ node }: Item): string {
  if (node.kind !== 'mapping') return '';
  const value = node.entries.find(({ key }) => key.kind === 'scalar' && key.text === 'name')?.value;
  return value?.kind === 'scalar' ? value.text : '';
}

function readName(fields: Fields): string {
  const name = fields.requiredText('name');
  if (name === undefined) return '';
  const parsed = ApplicationName.safeParse(name);
  if (!parsed.success)
    fields.problem('name', 'application-name', `${JSON.stringify(name)} is no name of an application: ${parsed.error.issues[0]?.message}`);
  return name;
}

function readRegistryAuth(fields: Fields): string | undefined {
  const registryAuth = fields.text('registryAuth');
  if (!registryAuth) return undefined;
  const problem = checkObjectName(registryAuth);
  if (problem !== undefined) fields.problem('registryAuth', 'registry-auth', `expected the name of a Docker secret; ${problem}`);
  return registryAuth;
}

function readDriftDetection(fields: Fields, self: boolean): Spec['driftDetection'] {
  const text = fields.text('driftDetection');
  if (!text) return self ? 'live' : 'manifest';
  const parsed = DriftDetection.safeParse(text);
  if (!parsed.success) fields.problem('driftDetection', 'enum', `expected manifest or live, found ${JSON.stringify(text)}`);
  if (self && parsed.data === 'manifest')
    fields.problem('driftDetection', 'self', 'must be live for the application that is the controller');
  return parsed.data ?? 'manifest';
}

function readDestination(fields: Fields): Spec['destination'] {
  const destination = fields.mapping('destination', ['swarm']);
  const swarm = destination?.text('swarm');
  if (destination === undefined || !swarm) return {};
  const parsed = SwarmName.safeParse(swarm);
  if (!parsed.success)
    destination.problem('swarm', 'swarm-name', `${JSON.stringify(swarm)} is no name of a swarm: ${parsed.error.issues[0]?.message}`);
  return { swarm };
}

function readAllow(fields: Fields): Allow {
  const allow = fields.mapping('allow', ['hostPaths', ...ALLOW_NAMES]);
  if (allow === undefined) return {};
  const hostPaths = allow.texts('hostPaths', 'host-path', checkHostPath);
  const lists = ALLOW_NAMES.map((key) => [key, allow.texts(key, 'allowed-name', checkObjectName)] as const);
  return { ...(hostPaths.length > 0 && { hostPaths }), ...Object.fromEntries(lists.filter(([, names]) => names.length > 0)) };
}

function readSyncPolicy(fields: Fields, mode: LoadMode): { policy: SyncPolicy; clampedInterval?: number } {
  const policy = fields.mapping('syncPolicy', POLICY_KEYS);
  if (policy === undefined) return { policy: { automated: false } };
  const [interval, timeout] = [readPositiveDuration(policy, 'interval'), readPositiveDuration(policy, 'timeout')];
  const historyMax = policy.integer('historyMax');
  if (historyMax !== undefined && historyMax < 0) policy.problem('historyMax', 'negative', 'must not be negative; 0 keeps every revision');
  const flags = Object.fromEntries(POLICY_FLAGS.map((key) => [key, policy.flag(key)])) as Record<(typeof POLICY_FLAGS)[number], boolean>;
  if (flags.pruneVolumes && !flags.prune) policy.problem('pruneVolumes', 'needs-prune', 'needs prune: volumes go only with their release');
  if (flags.pruneFirst && !flags.prune && !flags.pruneResources)
    policy.problem('pruneFirst', 'needs-prune', 'needs prune or pruneResources');
  const short = interval !== undefined && interval < MIN_INTERVAL;
  if (short && mode === 'offline') policy.problem('interval', 'interval', `must be at least ${formatDuration(MIN_INTERVAL)}`);
  return {
    policy: {
      automated: policy.flag('automated'),
      ...(interval !== undefined && { interval: formatDuration(interval) }),
      ...(timeout !== undefined && { timeout: formatDuration(timeout) }),
      ...(historyMax !== undefined && { historyMax }),
      ...Object.fromEntries(Object.entries(flags).filter(([, set]) => set)),
    },
    ...(short && { clampedInterval: interval }),
  };
}

/** Undefined for none, zero (the default is meant) and negative ones, which are an issue. */
function readPositiveDuration(policy: Fields, key: 'interval' | 'timeout'): number | undefined {
  const duration = policy.duration(key);
  if (duration !== undefined && duration < 0) policy.problem(key, 'negative', `must not be negative, found ${formatDuration(duration)}`);
  return duration !== undefined && duration > 0 ? duration : undefined;
}
