import type { Int } from './value.ts';

/**
 * A stack as the files declare it, decoded: short forms expanded, texts parsed. An absent member is Go's zero value, which
 * the docker CLI does not tell from a missing one; where it does tell them apart, the member may also be zero or empty.
 */
export interface Model {
  /** Read by today's compose specification, which has members that the docker dialect does not send. */
  dialect?: 'spec';
  services: Record<string, Service>;
  networks: Record<string, Network>;
  volumes: Record<string, Volume>;
  secrets: Record<string, FileObject>;
  configs: Record<string, FileObject>;
}

export interface Service {
  cap_add?: string[];
  cap_drop?: string[];
  command?: string[];
  entrypoint?: string[];
  configs?: FileReference[];
  credential_spec?: { config?: string; file?: string; registry?: string };
  depends_on?: string[];
  deploy?: Deploy;
  dns?: string[];
  dns_search?: string[];
  /** Dialect `spec` alone, as `group_add`, `oom_score_adj` and `security_opt`. */
  dns_opt?: string[];
  /** null: a bare name that has no value. */
  environment?: Record<string, string | null>;
  env_file?: string[];
  extra_hosts?: string[];
  group_add?: string[];
  healthcheck?: Healthcheck;
  hostname?: string;
  image?: string;
  init?: boolean;
  isolation?: string;
  labels?: Record<string, string>;
  logging?: { driver?: string; options?: Record<string, string> };
  networks?: Record<string, Attachment | null>;
  oom_score_adj?: Int;
  ports?: ServicePort[];
  read_only?: boolean;
  restart?: string;
  secrets?: FileReference[];
  security_opt?: string[];
  stdin_open?: boolean;
  stop_grace_period?: Int;
  stop_signal?: string;
  sysctls?: Record<string, string>;
  tty?: boolean;
  ulimits?: Record<string, Ulimit>;
  user?: string;
  volumes?: ServiceVolume[];
  working_dir?: string;
}

export interface FileReference {
  source?: string;
  target?: string;
  uid?: string;
  gid?: string;
  mode?: Int;
}

export interface Attachment {
  aliases?: string[];
  ipv4_address?: string;
  ipv6_address?: string;
  driver_opts?: Record<string, string>;
}

export interface ServicePort {
  mode?: string;
  target?: Int;
  published?: Int;
  protocol?: string;
}

export interface ServiceVolume {
  type?: string;
  source?: string;
  target?: string;
  read_only?: boolean;
  consistency?: string;
  bind?: { propagation?: string };
  volume?: { nocopy?: boolean; subpath?: string };
  /** `mode`: dialect `spec` alone. */
  tmpfs?: { size?: Int; mode?: Int };
}

export interface Ulimit {
  single?: Int;
  soft?: Int;
  hard?: Int;
}

/** Durations are nanoseconds. */
export interface Healthcheck {
  test?: string[];
  timeout?: Int;
  interval?: Int;
  retries?: Int;
  start_period?: Int;
  start_interval?: Int;
  disable?: boolean;
}

export interface Deploy {
  mode?: string;
  replicas?: Int;
  labels?: Record<string, string>;
  update_config?: UpdatePolicy;
  rollback_config?: UpdatePolicy;
  resources?: { limits?: ResourceLimit; reservations?: Reservation };
  restart_policy?: { condition?: string; delay?: Int; max_attempts?: Int; window?: Int };
  placement?: { constraints?: string[]; preferences?: { spread?: string }[]; max_replicas_per_node?: Int };
  endpoint_mode?: string;
}

export interface UpdatePolicy {
  parallelism?: Int;
  delay?: Int;
  failure_action?: string;
  monitor?: Int;
  max_failure_ratio?: number;
  order?: string;
}

export interface ResourceLimit {
  cpus?: string;
  /** Bytes. */
  memory?: Int;
  pids?: Int;
}

export interface Reservation {
  cpus?: string;
  memory?: Int;
  /** null: an item that names no resource. */
  generic_resources?: ({ kind?: string; value?: Int } | null)[];
}

export interface AddressPool {
  subnet?: string;
  gateway?: string;
  ip_range?: string;
  aux_addresses?: Record<string, string>;
}

export interface Network {
  name?: string;
  driver?: string;
  driver_opts?: Record<string, string>;
  /** Of a pool, `docker` has the subnet alone. */
  ipam?: { driver?: string; config?: AddressPool[] };
  /** Dialect `spec` alone. */
  enable_ipv6?: boolean;
  external?: boolean;
  internal?: boolean;
  attachable?: boolean;
  labels?: Record<string, string>;
}

export interface Volume {
  name?: string;
  driver?: string;
  driver_opts?: Record<string, string>;
  external?: boolean;
  labels?: Record<string, string>;
  /** The `x-cluster-spec` extension, as it stands there. */
  cluster?: unknown;
}

export interface FileObject {
  name?: string;
  file?: string;
  external?: boolean;
  labels?: Record<string, string>;
  driver?: string;
  driver_opts?: Record<string, string>;
  template_driver?: string;
}
