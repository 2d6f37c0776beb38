import type { ComposeDocument } from './api.ts';
import { formatDuration } from './decode/duration.ts';
import type { Deploy, Healthcheck, Model, Network, Reservation, ResourceLimit, Service, Ulimit, UpdatePolicy } from './model.ts';
import { type Int, record } from './value.ts';

/** The key of a manifest that says that it has members of the dialect `spec`. */
export const DIALECT_KEY = 'x-hivekeep-dialect';

/** A model as a plain compose document in long forms, which decodes to the same model. Nothing in it needs interpolation. */
export function toDocument(model: Model): ComposeDocument {
  return compact({
    services: mapMembers(model.services, serviceDocument),
    networks: mapMembers(model.networks, networkDocument),
    volumes: mapMembers(model.volumes, ({ cluster, ...volume }) => compact({ ...volume, 'x-cluster-spec': cluster })),
    secrets: mapMembers(model.secrets, compact),
    configs: mapMembers(model.configs, compact),
    [DIALECT_KEY]: model.dialect,
  });
}

function serviceDocument(service: Service): ComposeDocument {
  return compact({
    ...service,
    deploy: service.deploy && deployDocument(service.deploy),
    healthcheck: service.healthcheck && healthcheckDocument(service.healthcheck),
    stop_grace_period: durationText(service.stop_grace_period),
    ulimits: service.ulimits && mapMembers(service.ulimits, ulimitDocument),
  });
}

function deployDocument(deploy: Deploy): ComposeDocument {
  return compact({
    ...deploy,
    update_config: deploy.update_config && updateDocument(deploy.update_config),
    rollback_config: deploy.rollback_config && updateDocument(deploy.rollback_config),
    resources:
      deploy.resources &&
      compact({
        limits: deploy.resources.limits && resourceDocument(deploy.resources.limits),
        reservations: deploy.resources.reservations && reservationDocument(deploy.resources.reservations),
      }),
    restart_policy:
      deploy.restart_policy &&
      compact({
        ...deploy.restart_policy,
        delay: durationText(deploy.restart_policy.delay),
        window: durationText(deploy.restart_policy.window),
      }),
  });
}

function updateDocument(policy: UpdatePolicy): ComposeDocument {
  return compact({ ...policy, delay: durationText(policy.delay), monitor: durationText(policy.monitor) });
}

function resourceDocument(limit: ResourceLimit): ComposeDocument {
  return compact({ ...limit, memory: limit.memory === undefined ? undefined : String(limit.memory) });
}

function reservationDocument({ generic_resources: generic, ...rest }: Reservation): ComposeDocument {
  return compact({
    ...resourceDocument(rest),
    generic_resources: generic?.map((resource) => (resource ? { discrete_resource_spec: compact(resource) } : {})),
  });
}

function healthcheckDocument(check: Healthcheck): ComposeDocument {
  return compact({
    ...check,
    interval: durationText(check.interval),
    timeout: durationText(check.timeout),
    start_period: durationText(check.start_period),
    start_interval: durationText(check.start_interval),
  });
}

function ulimitDocument(limit: Ulimit): unknown {
  return limit.single ?? compact({ soft: limit.soft, hard: limit.hard });
}

function networkDocument(network: Network): ComposeDocument {
  return compact({ ...network });
}

function durationText(duration: Int | undefined): string | undefined {
  return duration === undefined ? undefined : formatDuration(duration);
}

function mapMembers<T>(members: Record<string, T>, convert: (member: T) => unknown): ComposeDocument | undefined {
  const entries = Object.entries(members);
  return entries.length === 0 ? undefined : record(entries.map(([key, member]) => [key, convert(member)]));
}

function compact(from: object): ComposeDocument {
  return record(Object.entries(from).filter(([, value]) => value !== undefined));
}
