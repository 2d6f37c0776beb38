import type { Environment } from '../load/interpolate.ts';
import type { Path, Problems } from '../problems.ts';
import { type Dict, dict, isDict, member, printValue } from '../value.ts';
import { refuseUnknown, take, toList } from './forms.ts';
import { ignoreKeys } from './swarm-limits.ts';

const CONDITIONS = ['service_started', 'service_healthy', 'service_completed_successfully'];

/**
 * Leaves out the services whose profiles are not in the declared `COMPOSE_PROFILES`, and makes each `depends_on` the list of
 * services that start before: a swarm's waves wait until what one of them wrote runs and is healthy.
 */
export function selectServices(document: Dict, env: Environment, problems: Problems): void {
  const services = member(document, 'services');
  if (!isDict(services)) return;
  const active = new Set((member(env, 'COMPOSE_PROFILES') ?? '').split(',').map((name) => name.trim()));
  for (const [name, service] of Object.entries(services)) {
    if (!isDict(service)) continue;
    const profiles = toList(take(service, 'profiles') ?? null);
    const names = Array.isArray(profiles) ? profiles.map(printValue) : [];
    if (names.length === 0 || active.has('*') || names.some((profile) => active.has(profile))) continue;
    delete services[name];
    problems.warn(
      'inactive-profile',
      ['services', name, 'profiles'],
      `the service is left out: none of its profiles (${names.join(', ')}) is in COMPOSE_PROFILES of the declared values`,
    );
  }
  for (const [name, service] of Object.entries(services))
    if (isDict(service)) orderService(service, services, ['services', name], problems);
}

function orderService(service: Dict, services: Dict, path: Path, problems: Problems): void {
  const needed = service.depends_on ?? undefined;
  if (!isDict(needed)) return;
  const names: string[] = [];
  for (const [name, how] of Object.entries(needed)) {
    const at = [...path, 'depends_on', name];
    const entry = isDict(how) ? how : dict();
    refuseUnknown(entry, ['condition', 'required', 'restart'], at, problems);
    ignoreKeys(entry, { restart: 'swarm restarts no service because of another' }, at, problems);
    const condition = printValue(entry.condition ?? 'service_started');
    const other = member(services, name);
    if (!CONDITIONS.includes(condition))
      problems.add([...at, 'condition'], `expected one of ${CONDITIONS.join(', ')}, found ${JSON.stringify(condition)}`);
    else if (isDict(other)) {
      names.push(name);
      warnOfCondition(condition, other, at, problems);
    } else if (entry.required !== false)
      problems.add(at, `the service ${JSON.stringify(name)} is not declared, or its profile is not active`);
  }
  service.depends_on = names;
}

/** What a wave waits for is what the other service is: a job's end, or tasks that run, and are healthy when that is checked. */
function warnOfCondition(condition: string, other: Dict, path: Path, problems: Problems): void {
  const mode = isDict(other.deploy) ? printValue(other.deploy.mode ?? '') : '';
  if (condition === 'service_completed_successfully' && !mode.endsWith('-job'))
    problems.warn(
      'depends-on-condition',
      path,
      'a service of a swarm ends only as a job; give the other service deploy.mode: replicated-job',
    );
  if (condition === 'service_healthy' && other.healthcheck === undefined)
    problems.warn(
      'depends-on-condition',
      path,
      'the other service states no healthcheck; unless its image has one, its running tasks are waited for',
    );
}
