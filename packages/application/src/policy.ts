import { parseDuration, type Spec } from '@hivekeep/contracts';

/** What a controller uses where an application says nothing. Milliseconds. */
export interface PolicyDefaults {
  readonly interval: number;
  readonly timeout: number;
  readonly historyMax: number;
}

/** Source: the reference controller's defaults (3 minutes, 5 minutes, 10 revisions). */
export const policyDefaults: PolicyDefaults = { interval: 180_000, timeout: 300_000, historyMax: 10 };

/** A shorter interval is run at this one: no application may take the controller for itself. */
export const MIN_INTERVAL = 10_000;

/** A sync policy with every answer given. Milliseconds. */
export interface EffectivePolicy {
  readonly automated: boolean;
  readonly interval: number;
  readonly wait: boolean;
  /** Bounds `wait` and each wave. */
  readonly timeout: number;
  /** Revisions kept; 0 keeps all. */
  readonly historyMax: number;
  readonly prune: boolean;
  readonly pruneVolumes: boolean;
  readonly pruneResources: boolean;
  readonly pruneFirst: boolean;
  readonly driftDetection: 'manifest' | 'live';
}

/** An application's policy with the defaults filled in and the interval clamped. */
export function effectivePolicy(spec: Spec, defaults: PolicyDefaults = policyDefaults): EffectivePolicy {
  const policy = spec.syncPolicy;
  return {
    automated: policy.automated,
    interval: Math.max(durationOr(policy.interval, defaults.interval), MIN_INTERVAL),
    wait: policy.wait ?? false,
    timeout: durationOr(policy.timeout, defaults.timeout),
    historyMax: policy.historyMax ?? defaults.historyMax,
    prune: policy.prune ?? false,
    pruneVolumes: policy.pruneVolumes ?? false,
    pruneResources: policy.pruneResources ?? false,
    pruneFirst: policy.pruneFirst ?? false,
    driftDetection: spec.driftDetection,
  };
}

function durationOr(text: string | undefined, fallback: number): number {
  const duration = parseDuration(text ?? '') ?? 0;
  return duration > 0 ? duration : fallback;
}
