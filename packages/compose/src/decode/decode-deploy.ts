import type { Deploy, Reservation, ResourceLimit, UpdatePolicy } from '../model.ts';
import type { Int } from '../value.ts';
import { type Fields, present } from './fields.ts';
import { parseSize, toInt64 } from './size.ts';

/** `deploy` of a service. */
export function decodeDeploy(service: Fields): Deploy | undefined {
  const deploy = service.child('deploy');
  if (!deploy) return undefined;
  return present<Deploy>({
    mode: deploy.text('mode'),
    replicas: deploy.unsigned('replicas'),
    labels: deploy.pairs('labels'),
    update_config: decodeUpdate(deploy.child('update_config')),
    rollback_config: decodeUpdate(deploy.child('rollback_config')),
    resources: decodeResources(deploy.child('resources')),
    restart_policy: decodeRestartPolicy(deploy.child('restart_policy')),
    placement: decodePlacement(deploy.child('placement')),
    endpoint_mode: deploy.text('endpoint_mode'),
  });
}

function decodeUpdate(fields: Fields | undefined): UpdatePolicy | undefined {
  return (
    fields &&
    present<UpdatePolicy>({
      parallelism: fields.unsigned('parallelism'),
      delay: fields.duration('delay'),
      failure_action: fields.text('failure_action'),
      monitor: fields.duration('monitor'),
      max_failure_ratio: fields.float('max_failure_ratio'),
      order: fields.text('order'),
    })
  );
}

function decodeResources(fields: Fields | undefined): Deploy['resources'] {
  if (!fields) return undefined;
  return present<NonNullable<Deploy['resources']>>({
    limits: decodeLimit(fields.child('limits')),
    reservations: decodeReservation(fields.child('reservations')),
  });
}

function decodeLimit(fields: Fields | undefined): ResourceLimit | undefined {
  return fields && present<ResourceLimit>({ cpus: fields.text('cpus'), memory: decodeMemory(fields), pids: fields.integer('pids') });
}

function decodeReservation(fields: Fields | undefined): Reservation | undefined {
  if (!fields) return undefined;
  const generic = fields.children('generic_resources')?.map((item) => {
    const resource = item.child('discrete_resource_spec');
    return resource ? present<{ kind?: string; value?: Int }>({ kind: resource.text('kind'), value: resource.integer('value') }) : null;
  });
  return present<Reservation>({ cpus: fields.text('cpus'), memory: decodeMemory(fields), generic_resources: generic });
}

function decodeMemory(fields: Fields): Int | undefined {
  const value = fields.given('memory');
  if (value === undefined || typeof value === 'number' || typeof value === 'bigint') return value;
  const size = typeof value === 'string' ? parseSize(value) : undefined;
  const path = fields.at('memory');
  if (size === undefined) fields.problems.add(path, `expected a size such as 512m or 1.5GiB, found ${JSON.stringify(value)}`);
  else if (size < 2 ** 63 || fields.problems.deviate('number-wraps', path)) return toInt64(size);
  else fields.problems.add(path, `${JSON.stringify(value)} is more than the engine can count`);
  return undefined;
}

function decodeRestartPolicy(fields: Fields | undefined): Deploy['restart_policy'] {
  return (
    fields &&
    present<NonNullable<Deploy['restart_policy']>>({
      condition: fields.text('condition'),
      delay: fields.duration('delay'),
      max_attempts: fields.unsigned('max_attempts'),
      window: fields.duration('window'),
    })
  );
}

function decodePlacement(fields: Fields | undefined): Deploy['placement'] {
  return (
    fields &&
    present<NonNullable<Deploy['placement']>>({
      constraints: fields.strings('constraints'),
      preferences: fields.children('preferences')?.map((item) => present<{ spread?: string }>({ spread: item.text('spread') })),
      max_replicas_per_node: fields.unsigned('max_replicas_per_node'),
    })
  );
}
