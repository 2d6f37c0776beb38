import { parseDuration } from '../decode/duration.ts';
import { parsePortSpec } from '../decode/port-spec.ts';
import {
  any,
  boolean,
  either,
  type Format,
  integer,
  KEY,
  list,
  map,
  nothing,
  number,
  object,
  type Rule,
  SPECIFICATION,
  since,
  string,
} from './rule.ts';
import { refusedKeys, specificationKeys } from './swarm-keys.ts';

const durationFormat: Format = (text) =>
  parseDuration(text) === undefined ? `expected a duration such as 1m30s, found ${JSON.stringify(text)}` : undefined;
const portsFormat: Format = (text) => {
  const ports = parsePortSpec(text);
  return 'error' in ports ? ports.error : undefined;
};

export const NAME = /^[a-zA-Z0-9._-]+$/;
const duration: Rule = { kind: 'string', format: durationFormat };
const strings = list(string);
const stringOrList = either(string, strings);
export const listOrMap = either(map(either(string, number, nothing)), strings);

const build = object(
  {
    context: string,
    dockerfile: string,
    args: listOrMap,
    labels: since(3, listOrMap),
    cache_from: since(2, strings),
    network: since(4, string),
    target: since(4, string),
    shm_size: since(5, either(integer, string)),
    extra_hosts: since(9, listOrMap),
  },
  { openSince: 11 },
);

const fileReference = either(string, object({ source: string, target: string, uid: string, gid: string, mode: number }, { openSince: 0 }));

const healthcheck = object({
  disable: boolean,
  interval: duration,
  retries: number,
  test: either(string, list(string, false)),
  timeout: duration,
  start_period: since(4, duration),
  start_interval: since(12, duration),
});

const updateConfig = object({
  parallelism: integer,
  delay: duration,
  failure_action: string,
  monitor: duration,
  max_failure_ratio: number,
  order: since(4, { kind: 'string', oneOf: ['start-first', 'stop-first'] }),
});

const genericResources = list(object({ discrete_resource_spec: object({ kind: string, value: number }) }), false);

const deploy = object({
  mode: string,
  endpoint_mode: since(2, string),
  replicas: integer,
  labels: listOrMap,
  update_config: updateConfig,
  rollback_config: since(7, updateConfig),
  resources: object({
    limits: object({ cpus: string, memory: string, pids: since(9, integer) }),
    reservations: object({ cpus: string, memory: string, generic_resources: since(5, genericResources) }, { specification: ['devices'] }),
  }),
  restart_policy: object({ condition: string, delay: duration, max_attempts: integer, window: duration }),
  placement: object({
    constraints: list(string, false),
    preferences: since(3, list(object({ spread: string }), false)),
    max_replicas_per_node: since(8, integer),
  }),
});

const longPort = object({ mode: string, target: integer, published: integer, protocol: string });

const longVolume = object(
  {
    type: string,
    source: string,
    target: string,
    read_only: boolean,
    consistency: string,
    bind: object({ propagation: string }, { openSince: 0 }),
    volume: object({ nocopy: boolean, subpath: any }, { openSince: 0 }),
    tmpfs: since(6, object({ size: { kind: 'integer', min: 0 }, mode: since(SPECIFICATION, integer) }, { openSince: 0 })),
  },
  { required: ['type'] },
);

const attachment = either(
  object(
    { aliases: strings, ipv4_address: string, ipv6_address: string, driver_opts: since(13, map(either(string, number))) },
    { specification: ['priority', 'gw_priority', 'mac_address', 'link_local_ips', 'interface_name'] },
  ),
  nothing,
);

/** The service of compose file 3.x, version by version, as the docker CLI accepts it. */
export const service = object(
  {
    build: either(string, build),
    cap_add: strings,
    cap_drop: strings,
    cgroupns_mode: since(9, string),
    cgroup_parent: string,
    command: either(string, list(string, false)),
    configs: since(3, list(fileReference, false)),
    container_name: string,
    credential_spec: since(3, object({ config: since(8, string), file: string, registry: string })),
    depends_on: strings,
    deploy: either(deploy, nothing),
    devices: strings,
    dns: stringOrList,
    dns_search: stringOrList,
    domainname: string,
    entrypoint: either(string, list(string, false)),
    env_file: stringOrList,
    environment: listOrMap,
    expose: list(either(string, number)),
    external_links: strings,
    extra_hosts: listOrMap,
    healthcheck,
    hostname: string,
    image: string,
    init: since(7, boolean),
    ipc: string,
    isolation: since(5, string),
    labels: listOrMap,
    links: strings,
    logging: object({ driver: string, options: map(either(string, number, nothing), KEY, { open: true }) }),
    mac_address: string,
    network_mode: string,
    networks: either(strings, map(attachment, NAME)),
    oom_score_adj: since(13, integer),
    pid: either(string, nothing),
    ports: list(either({ kind: 'number', format: portsFormat }, { kind: 'string', format: portsFormat }, since(2, longPort))),
    privileged: boolean,
    read_only: boolean,
    restart: string,
    secrets: since(1, list(fileReference, false)),
    security_opt: strings,
    shm_size: string,
    stdin_open: boolean,
    stop_grace_period: duration,
    stop_signal: string,
    sysctls: listOrMap,
    tmpfs: stringOrList,
    tty: boolean,
    ulimits: map(either(integer, object({ hard: integer, soft: integer }, { required: ['hard', 'soft'] })), KEY, { open: true }),
    user: string,
    userns_mode: string,
    volumes: list(either(string, since(2, longVolume)), false),
    working_dir: string,
  },
  { extensionsSince: 7, refused: refusedKeys, specification: specificationKeys },
);
