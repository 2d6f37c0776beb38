/**
 * The Engine API's swarm objects as we send them and read them back (API 1.41 to 1.51), for what a compose file can hold.
 * Durations are nanoseconds, memory is bytes, CPUs are 1e-9 CPUs. Absent and null mean what Go's `omitempty` makes of them.
 */
export type Labels = Record<string, string>;

export interface Driver {
  Name: string;
  Options?: Record<string, string> | null;
}
export interface ObjectReference {
  File?: { Name: string; UID: string; GID: string; Mode: number } | null;
  Runtime?: Record<string, never> | null;
}
export interface SecretReferenceSpec extends ObjectReference {
  SecretID: string;
  SecretName: string;
}
export interface ConfigReferenceSpec extends ObjectReference {
  ConfigID: string;
  ConfigName: string;
}
export interface Mount {
  Type?: string;
  Source?: string;
  Target: string;
  ReadOnly?: boolean;
  Consistency?: string;
  BindOptions?: Record<string, unknown> | null;
  VolumeOptions?: {
    NoCopy?: boolean;
    Labels?: Labels | null;
    DriverConfig?: { Name?: string; Options?: Record<string, string> | null } | null;
    Subpath?: string;
  } | null;
  ImageOptions?: Record<string, unknown> | null;
  TmpfsOptions?: { SizeBytes?: number; Mode?: number; Options?: string[][] } | null;
  ClusterOptions?: Record<string, unknown> | null;
}
export interface HealthConfig {
  Test?: string[] | null;
  Interval?: number;
  Timeout?: number;
  StartPeriod?: number;
  StartInterval?: number;
  Retries?: number;
}
export interface ContainerSpec {
  Image?: string;
  Labels?: Labels | null;
  Command?: string[] | null;
  Args?: string[] | null;
  Hostname?: string;
  Env?: string[] | null;
  Dir?: string;
  User?: string;
  Groups?: string[] | null;
  Privileges?: Record<string, unknown> | null;
  Init?: boolean | null;
  StopSignal?: string;
  TTY?: boolean;
  OpenStdin?: boolean;
  ReadOnly?: boolean;
  Mounts?: Mount[] | null;
  StopGracePeriod?: number | null;
  Healthcheck?: HealthConfig | null;
  Hosts?: string[] | null;
  DNSConfig?: { Nameservers?: string[] | null; Search?: string[] | null; Options?: string[] | null } | null;
  Secrets?: SecretReferenceSpec[] | null;
  Configs?: ConfigReferenceSpec[] | null;
  Isolation?: string;
  Sysctls?: Record<string, string> | null;
  CapabilityAdd?: string[] | null;
  CapabilityDrop?: string[] | null;
  Ulimits?: { Name: string; Hard: number; Soft: number }[] | null;
  OomScoreAdj?: number;
}
export interface Resources {
  Limits?: { NanoCPUs?: number; MemoryBytes?: number; Pids?: number } | null;
  Reservations?: { NanoCPUs?: number; MemoryBytes?: number; GenericResources?: Record<string, unknown>[] | null } | null;
}
export interface RestartPolicy {
  Condition?: string;
  Delay?: number | null;
  MaxAttempts?: number | null;
  Window?: number | null;
}
export interface Placement {
  Constraints?: string[] | null;
  Preferences?: { Spread?: { SpreadDescriptor: string } }[] | null;
  MaxReplicas?: number;
  Platforms?: unknown[] | null;
}
export interface NetworkAttachment {
  Target: string;
  Aliases?: string[] | null;
  DriverOpts?: Record<string, string> | null;
}
export interface TaskSpec {
  ContainerSpec?: ContainerSpec | null;
  Resources?: Resources | null;
  RestartPolicy?: RestartPolicy | null;
  Placement?: Placement | null;
  Networks?: NetworkAttachment[] | null;
  LogDriver?: Driver | null;
  ForceUpdate?: number;
  Runtime?: string;
}
export interface ServiceMode {
  Replicated?: { Replicas?: number | null } | null;
  Global?: Record<string, never> | null;
  ReplicatedJob?: { MaxConcurrent?: number | null; TotalCompletions?: number | null } | null;
  GlobalJob?: Record<string, never> | null;
}
export interface UpdateConfig {
  Parallelism: number;
  Delay?: number;
  FailureAction?: string;
  Monitor?: number;
  MaxFailureRatio: number;
  Order?: string;
}
export interface PortConfig {
  Name?: string;
  Protocol?: string;
  TargetPort?: number;
  PublishedPort?: number;
  PublishMode?: string;
}
export interface ServiceSpec {
  Name: string;
  Labels?: Labels | null;
  TaskTemplate: TaskSpec;
  Mode: ServiceMode;
  UpdateConfig?: UpdateConfig | null;
  RollbackConfig?: UpdateConfig | null;
  Networks?: NetworkAttachment[] | null;
  EndpointSpec?: { Mode?: string; Ports?: PortConfig[] | null } | null;
}
export interface NetworkCreate {
  Name: string;
  Driver?: string;
  Scope?: string;
  EnableIPv6?: boolean | null;
  IPAM?: { Driver?: string; Options?: Record<string, string> | null; Config?: Record<string, unknown>[] | null } | null;
  Internal?: boolean;
  Attachable?: boolean;
  Ingress?: boolean;
  ConfigOnly?: boolean;
  ConfigFrom?: unknown;
  Options?: Record<string, string> | null;
  Labels?: Labels | null;
}
export interface ConfigSpec {
  Name: string;
  Labels?: Labels | null;
  /** Base64. */
  Data?: string;
  Templating?: Driver | null;
}
export interface SecretSpec {
  Name: string;
  Labels?: Labels | null;
  /** Base64. */
  Data?: string;
  Driver?: Driver | null;
  Templating?: Driver | null;
}
