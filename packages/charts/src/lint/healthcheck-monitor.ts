import { formatDuration, type Issue, parseDuration } from '@hivekeep/contracts';
import type { GoMap, GoValue } from '@hivekeep/goyaml';
import { memberOf, sectionOf } from '../manifest/manifest-view.ts';

/** What Docker takes when a healthcheck or an update says nothing, in milliseconds. Source: Engine API, HealthConfig. */
const DEFAULTS = { interval: 30_000, retries: 3, monitor: 5_000 } as const;

/**
 * Warns of services that are watched for less time after an update than their healthcheck needs to fail: a broken update would count as
 * done. In the order of their names.
 */
export function monitorWarnings(document: GoMap): Issue[] {
  return sectionOf(document, 'services').flatMap(([service, entry]): Issue[] => {
    const check = memberOf(entry, 'healthcheck');
    if (check === undefined || check === null || isDisabled(check)) return [];
    const retries = memberOf(check, 'retries');
    const interval = duration(memberOf(check, 'interval')) ?? DEFAULTS.interval;
    const needed = (duration(memberOf(check, 'start_period')) ?? 0) + Number(retries ?? DEFAULTS.retries) * interval;
    const monitor = duration(memberOf(memberOf(memberOf(entry, 'deploy'), 'update_config'), 'monitor')) ?? DEFAULTS.monitor;
    if (!(monitor < needed)) return [];
    const message =
      `an update is watched for ${formatDuration(monitor)}, and the healthcheck needs ${formatDuration(needed)} to fail; ` +
      `set deploy.update_config.monitor to at least ${formatDuration(needed)}`;
    return [{ path: `services.${service}.healthcheck`, rule: 'healthcheck-monitor', message }];
  });
}

function isDisabled(check: GoValue): boolean {
  const test = memberOf(check, 'test');
  const first = Array.isArray(test) ? test[0] : test;
  return memberOf(check, 'disable') === true || first === 'NONE';
}

function duration(value: GoValue | undefined): number | undefined {
  return typeof value === 'string' ? parseDuration(value) : undefined;
}
