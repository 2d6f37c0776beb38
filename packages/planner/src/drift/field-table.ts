import type { Driver, HealthConfig, RestartPolicy, ServiceSpec, UpdateConfig } from '@hivekeep/compose';
import type { FieldDrift } from '@hivekeep/contracts';
import { formatDuration } from '@hivekeep/contracts';

const NS_PER_MS = 1e6;

/** Collects differences of one service in a fixed order. A pair that is equal leaves no trace. */
export class FieldTable {
  readonly fields: FieldDrift[] = [];

  text(field: string, desired: string, live: string): void {
    if (desired !== live) this.fields.push({ field, desired, live });
  }

  number(field: string, desired: number | null | undefined, live: number | null | undefined, otherwise = 0): void {
    this.text(field, String(desired ?? otherwise), String(live ?? otherwise));
  }

  flag(field: string, desired: boolean | null | undefined, live: boolean | null | undefined): void {
    this.text(field, String(desired ?? false), String(live ?? false));
  }

  /** Nanoseconds, written as a Go duration. */
  duration(field: string, desired: number | null | undefined, live: number | null | undefined): void {
    this.text(field, formatDuration((desired ?? 0) / NS_PER_MS), formatDuration((live ?? 0) / NS_PER_MS));
  }

  set(field: string, desired: readonly string[] | null | undefined, live: readonly string[] | null | undefined): void {
    const joined = (items: readonly string[] | null | undefined): string => [...(items ?? [])].sort().join(', ');
    this.text(field, joined(desired), joined(live));
  }

  list(field: string, desired: readonly string[] | null | undefined, live: readonly string[] | null | undefined, separator = ' '): void {
    this.text(field, (desired ?? []).join(separator), (live ?? []).join(separator));
  }

  /** One line per key of either side, keys sorted; `absent` stands for a key one side lacks. */
  keyed(field: string, desired: ReadonlyMap<string, string>, live: ReadonlyMap<string, string>, absent = '(absent)'): void {
    for (const key of [...new Set([...desired.keys(), ...live.keys()])].sort()) {
      this.text(`${field}[${key}]`, desired.get(key) ?? absent, live.get(key) ?? absent);
    }
  }

  /** Presence once when only one side has it; true when both have it and its parts are worth comparing. */
  both<T>(field: string, desired: T | null | undefined, live: T | null | undefined): boolean {
    const word = (side: T | null | undefined): string => (side === null || side === undefined ? 'absent' : 'set');
    this.text(field, word(desired), word(live));
    return word(desired) === 'set' && word(live) === 'set';
  }
}

/** A map of a record, without the keys in `except`. */
export function mapOf(record: Readonly<Record<string, string>> | null | undefined, except?: ReadonlySet<string>): Map<string, string> {
  return new Map(Object.entries(record ?? {}).filter(([key]) => !except?.has(key)));
}

export function compareUpdateConfig(
  table: FieldTable,
  field: string,
  desired: UpdateConfig | null | undefined,
  live: UpdateConfig | null | undefined,
): void {
  if (!table.both(field, desired, live) || !desired || !live) return;
  table.number(`${field}.parallelism`, desired.Parallelism, live.Parallelism);
  table.duration(`${field}.delay`, desired.Delay, live.Delay);
  table.text(`${field}.failureAction`, desired.FailureAction || 'pause', live.FailureAction || 'pause');
  table.duration(`${field}.monitor`, desired.Monitor, live.Monitor);
  table.text(`${field}.maxFailureRatio`, ratioText(desired.MaxFailureRatio), ratioText(live.MaxFailureRatio));
  table.text(`${field}.order`, desired.Order || 'stop-first', live.Order || 'stop-first');
}

/** Shortest decimal that is the same 32-bit float: what the daemon keeps, without the digits it never had. */
function ratioText(ratio: number | undefined): string {
  const single = Math.fround(ratio ?? 0);
  for (let digits = 1; digits <= 9; digits += 1) {
    const text = String(Number(single.toPrecision(digits)));
    if (Math.fround(Number(text)) === single) return text;
  }
  return String(single);
}

export function compareRestartPolicy(
  table: FieldTable,
  desired: RestartPolicy | null | undefined,
  live: RestartPolicy | null | undefined,
): void {
  if (!table.both('restartPolicy', desired, live) || !desired || !live) return;
  table.text('restartPolicy.condition', desired.Condition || 'any', live.Condition || 'any');
  table.duration('restartPolicy.delay', desired.Delay, live.Delay);
  table.number('restartPolicy.maxAttempts', desired.MaxAttempts, live.MaxAttempts);
  table.duration('restartPolicy.window', desired.Window, live.Window);
}

export function compareHealthcheck(
  table: FieldTable,
  desired: HealthConfig | null | undefined,
  live: HealthConfig | null | undefined,
  keepsStartInterval: boolean,
): void {
  if (!table.both('healthcheck', desired, live) || !desired || !live) return;
  table.list('healthcheck.test', desired.Test, live.Test);
  table.duration('healthcheck.interval', desired.Interval, live.Interval);
  table.duration('healthcheck.timeout', desired.Timeout, live.Timeout);
  table.duration('healthcheck.startPeriod', desired.StartPeriod, live.StartPeriod);
  if (keepsStartInterval) table.duration('healthcheck.startInterval', desired.StartInterval, live.StartInterval);
  table.number('healthcheck.retries', desired.Retries, live.Retries);
}

export function compareLogDriver(table: FieldTable, desired: Driver | null | undefined, live: Driver | null | undefined): void {
  if (!table.both('logDriver', desired, live) || !desired || !live) return;
  table.text('logDriver.name', desired.Name, live.Name);
  table.keyed('logDriver.options', mapOf(desired.Options), mapOf(live.Options));
}

/** Counts as the daemon defaults them: 1, and completions as many as run at once. */
export function modeCounts(spec: ServiceSpec): {
  readonly replicas: number;
  readonly maxConcurrent: number;
  readonly totalCompletions: number;
} {
  const job = spec.Mode.ReplicatedJob;
  const maxConcurrent = job?.MaxConcurrent ?? 1;
  return { replicas: spec.Mode.Replicated?.Replicas ?? 1, maxConcurrent, totalCompletions: job?.TotalCompletions ?? maxConcurrent };
}
