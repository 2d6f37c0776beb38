import { parseGoFloat } from '../decode/go-float.ts';
import { exactInt, GoFloat, type Value } from '../value.ts';

export type Cast = (text: string) => Value | undefined;

const TRUE = new Set(['y', 'yes', 'true', 'on']);
const FALSE = new Set(['n', 'no', 'false', 'off']);

const toInt: Cast = (text) => {
  if (!/^[-+]?\d{1,100}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return value >= -(2n ** 63n) && value < 2n ** 63n ? exactInt(value) : undefined;
};
const toFloat: Cast = (text) => {
  const value = parseGoFloat(text);
  return value !== undefined && Number.isFinite(value) ? new GoFloat(value) : undefined;
};
const toBoolean: Cast = (text) => {
  const lower = text.toLowerCase();
  return TRUE.has(lower) ? true : FALSE.has(lower) ? false : undefined;
};

/** The paths at which the docker CLI turns a substituted text into another type; `*` is any key, `[]` any list position. */
const CASTS = new Map<string, { cast: Cast; type: string }>();
function register(cast: Cast, type: string, paths: string[]): void {
  for (const path of paths) CASTS.set(path, { cast, type });
}
register(toInt, 'an integer', [
  'services.*.configs.[].mode',
  'services.*.secrets.[].mode',
  'services.*.healthcheck.retries',
  'services.*.deploy.replicas',
  'services.*.deploy.update_config.parallelism',
  'services.*.deploy.rollback_config.parallelism',
  'services.*.deploy.restart_policy.max_attempts',
  'services.*.deploy.placement.max_replicas_per_node',
  'services.*.ports.[].target',
  'services.*.ports.[].published',
  'services.*.ulimits.*',
  'services.*.ulimits.*.hard',
  'services.*.ulimits.*.soft',
  'services.*.oom_score_adj',
]);
register(toFloat, 'a number', ['services.*.deploy.update_config.max_failure_ratio', 'services.*.deploy.rollback_config.max_failure_ratio']);
register(toBoolean, 'one of y, yes, true, on, n, no, false, off', [
  'services.*.healthcheck.disable',
  'services.*.privileged',
  'services.*.read_only',
  'services.*.stdin_open',
  'services.*.tty',
  'services.*.volumes.[].read_only',
  'services.*.volumes.[].volume.nocopy',
  'networks.*.external',
  'networks.*.internal',
  'networks.*.attachable',
  'volumes.*.external',
  'secrets.*.external',
  'configs.*.external',
]);

/** The cast for a path, if a substituted text there becomes another type. */
export function castAt(path: readonly (string | number)[]): { cast: Cast; type: string } | undefined {
  const [section, , ...rest] = path;
  if (path.length < 3) return undefined;
  const parts = rest.map((part) => (typeof part === 'number' ? '[]' : part));
  const exact = CASTS.get([section, '*', ...parts].join('.'));
  if (exact || parts[0] !== 'ulimits' || parts.length < 2) return exact;
  return CASTS.get([section, '*', 'ulimits', '*', ...parts.slice(2)].join('.'));
}
