import type { ConfigSpec, Labels, NetworkCreate, SecretSpec, ServiceSpec } from '@hivekeep/compose';
import { HivekeepError } from '@hivekeep/contracts';
import type { LiveNetwork, LiveNode, LiveObject, LiveService, LiveTask } from '@hivekeep/planner';
import type {
  EngineConfig,
  EngineInfo,
  EngineNetwork,
  EngineNode,
  EngineSecret,
  EngineService,
  EngineTask,
  EngineVolume,
} from './engine-answers.ts';
import { type CallOptions, EngineHttp, type EngineHttpOptions } from './engine-http.ts';
import { liveConfig, liveNetwork, liveNode, liveSecret, liveService, liveTask } from './live-objects.ts';
import type { DaemonInfo, ListedConfig, ListOptions, LocalVolume, ServiceWriteOptions, Written } from './swarm-calls.ts';

type DeletableKind = 'services' | 'networks' | 'configs' | 'secrets';

/**
 * A manager's swarm over its Engine API. Every method may throw `swarm/timeout`, `swarm/unreachable`, `swarm/no-leader`,
 * `swarm/not-a-manager` and `cancelled`; a list is complete or an error, never empty because it could not be read.
 */
export class DockerSwarm {
  readonly http: EngineHttp;

  constructor(options: EngineHttpOptions) {
    this.http = new EngineHttp(options);
  }

  async listServices(options: ListOptions = {}): Promise<LiveService[]> {
    return (await this.#list<EngineService>('/services', options)).map(liveService);
  }

  /** @throws `swarm/gone` */
  async inspectService(id: string, options: CallOptions = {}): Promise<LiveService> {
    return liveService(await this.#get<EngineService>(`/services/${encodeURIComponent(id)}`, options));
  }

  /** @throws `swarm/exists` when the name is taken, `swarm/invalid` for a spec the daemon refuses */
  async createService(spec: ServiceSpec, options: ServiceWriteOptions = {}): Promise<Written> {
    const { registryAuth, queryRegistry, ...call } = options;
    const query = queryRegistry ? { queryRegistry: 'true' } : undefined;
    return written(
      await this.http.call({
        ...call,
        method: 'POST',
        path: '/services/create',
        query,
        body: spec,
        registryAuth,
        action: `create service ${spec.Name}`,
      }),
    );
  }

  /**
   * Writes a service on the assumption that its version index is still `version`.
   * @throws `swarm/conflict` when it is not, `swarm/gone`, `swarm/unsupported` for a new name or mode
   */
  async updateService(id: string, version: number, spec: ServiceSpec, options: ServiceWriteOptions = {}): Promise<Written> {
    const { registryAuth, queryRegistry, ...call } = options;
    const query = { version: String(version), ...(queryRegistry && { queryRegistry: 'true' }) };
    const answer = await this.http.call({
      ...call,
      method: 'POST',
      path: `/services/${encodeURIComponent(id)}/update`,
      query,
      body: spec,
      registryAuth,
      action: `update service ${spec.Name}`,
    });
    return { id, warnings: warningsOf(answer) };
  }

  /** Removes by id; one that is gone already is success. */
  removeService(id: string, options: CallOptions = {}): Promise<void> {
    return this.#remove('services', id, options);
  }

  /** All networks this manager knows; those of scope `local` are its own. */
  async listNetworks(options: ListOptions = {}): Promise<LiveNetwork[]> {
    return (await this.#list<EngineNetwork>('/networks', options)).map(liveNetwork);
  }

  /** @throws `swarm/gone` */
  async inspectNetwork(id: string, options: CallOptions = {}): Promise<LiveNetwork> {
    return liveNetwork(await this.#get<EngineNetwork>(`/networks/${encodeURIComponent(id)}`, options));
  }

  /** @throws `swarm/exists` */
  async createNetwork(spec: NetworkCreate, options: CallOptions = {}): Promise<Written> {
    const body = { ...spec, CheckDuplicate: true };
    return written(
      await this.http.call({ ...options, method: 'POST', path: '/networks/create', body, action: `create network ${spec.Name}` }),
    );
  }

  /** Removes by id; one that is gone already is success. @throws `swarm/in-use` */
  removeNetwork(id: string, options: CallOptions = {}): Promise<void> {
    return this.#remove('networks', id, options);
  }

  /** The answer carries the data of every config listed: filter. The objects given back hold its hash only. */
  async listConfigs(options: ListOptions = {}): Promise<LiveObject[]> {
    return (await this.#list<EngineConfig>('/configs', options)).map(liveConfig);
  }

  /** As `listConfigs`, with the data of those that `wanted` names. */
  async listConfigsWithData(wanted: (labels: Labels) => boolean, options: ListOptions = {}): Promise<ListedConfig[]> {
    const configs = await this.#list<EngineConfig>('/configs', options);
    return configs.map((config) => ({
      config: liveConfig(config),
      ...(wanted(config.Spec.Labels ?? {}) && { data: dataOf(config) }),
    }));
  }

  /** @throws `swarm/gone` */
  async inspectConfig(id: string, options: CallOptions = {}): Promise<Required<ListedConfig>> {
    const config = await this.#get<EngineConfig>(`/configs/${encodeURIComponent(id)}`, options);
    return { config: liveConfig(config), data: dataOf(config) };
  }

  /** @throws `swarm/exists` when the name is taken, `swarm/invalid` when the data is empty or over 1,023,999 bytes */
  async createConfig(spec: ConfigSpec, options: CallOptions = {}): Promise<Written> {
    return written(
      await this.http.call({ ...options, method: 'POST', path: '/configs/create', body: spec, action: `create config ${spec.Name}` }),
    );
  }

  /** Replaces a config's labels by compare-and-swap. The daemon wants its name and data unchanged. @throws `swarm/conflict` */
  async updateConfigLabels(id: string, version: number, spec: ConfigSpec, options: CallOptions = {}): Promise<void> {
    await this.#updateObject('configs', id, version, spec, options);
  }

  /** Removes by id; one that is gone already is success. @throws `swarm/in-use` */
  removeConfig(id: string, options: CallOptions = {}): Promise<void> {
    return this.#remove('configs', id, options);
  }

  async listSecrets(options: ListOptions = {}): Promise<LiveObject[]> {
    return (await this.#list<EngineSecret>('/secrets', options)).map(liveSecret);
  }

  /** @throws `swarm/gone` */
  async inspectSecret(id: string, options: CallOptions = {}): Promise<LiveObject> {
    return liveSecret(await this.#get<EngineSecret>(`/secrets/${encodeURIComponent(id)}`, options));
  }

  /** @throws `swarm/exists` when the name is taken, `swarm/invalid` when the data is empty or over 511,999 bytes */
  async createSecret(spec: SecretSpec, options: CallOptions = {}): Promise<Written> {
    return written(
      await this.http.call({ ...options, method: 'POST', path: '/secrets/create', body: spec, action: `create secret ${spec.Name}` }),
    );
  }

  /** Replaces a secret's labels by compare-and-swap; its data is never sent. @throws `swarm/conflict` */
  async updateSecretLabels(id: string, version: number, spec: Omit<SecretSpec, 'Data'>, options: CallOptions = {}): Promise<void> {
    await this.#updateObject('secrets', id, version, spec, options);
  }

  /** Removes by id; one that is gone already is success. @throws `swarm/in-use` */
  removeSecret(id: string, options: CallOptions = {}): Promise<void> {
    return this.#remove('secrets', id, options);
  }

  async listNodes(options: ListOptions = {}): Promise<LiveNode[]> {
    return (await this.#list<EngineNode>('/nodes', options)).map(liveNode);
  }

  async listTasks(options: ListOptions = {}): Promise<LiveTask[]> {
    return (await this.#list<EngineTask>('/tasks', options)).map(liveTask);
  }

  /** Volumes of the connected node alone. */
  async listVolumes(options: ListOptions = {}): Promise<LocalVolume[]> {
    const answer = await this.#get<{ Volumes?: EngineVolume[] | null }>('/volumes', options, filters(options));
    return (answer.Volumes ?? []).map((volume) => ({ name: volume.Name, labels: volume.Labels ?? {} }));
  }

  /** Removes a volume of the connected node; false when it is gone already. @throws `swarm/in-use` */
  async removeVolume(name: string, options: CallOptions = {}): Promise<boolean> {
    const call = { ...options, method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}`, action: `remove volume ${name}` } as const;
    try {
      await this.http.call(call);
      return true;
    } catch (error) {
      if (HivekeepError.is(error, 'swarm/gone')) return false;
      // A volume's 409 means "in use", whatever words the daemon or a volume driver chose.
      if (HivekeepError.is(error, 'swarm/exists')) throw new HivekeepError('swarm/in-use', error.message, { cause: error });
      throw error;
    }
  }

  /** What this daemon is in the swarm. It answers when the swarm has no leader, too; `error` says so then. */
  async info(options: CallOptions = {}): Promise<DaemonInfo> {
    const answer = await this.#get<EngineInfo>('/info', options);
    return {
      nodeId: answer.Swarm?.NodeID ?? '',
      state: answer.Swarm?.LocalNodeState ?? '',
      manager: answer.Swarm?.ControlAvailable ?? false,
      error: answer.Swarm?.Error ?? '',
      engineVersion: answer.ServerVersion ?? '',
      nodes: answer.Swarm?.Nodes ?? 0,
    };
  }

  /** Labels of a container of the connected node. @throws `swarm/gone` when there is none of that name or id */
  async containerLabels(nameOrId: string, options: CallOptions = {}): Promise<Labels> {
    const answer = await this.#get<{ Config?: { Labels?: Labels | null } }>(`/containers/${encodeURIComponent(nameOrId)}/json`, options);
    return answer.Config?.Labels ?? {};
  }

  /** The newest API version the daemon speaks: `1.41`. */
  async apiVersion(options: CallOptions = {}): Promise<string> {
    return (await this.#get<{ ApiVersion?: string }>('/version', options)).ApiVersion ?? '1.41';
  }

  async ping(options: CallOptions = {}): Promise<void> {
    await this.http.call({ ...options, method: 'GET', path: '/_ping', action: 'ping the daemon' });
  }

  /** The swarm's own id, which outlives its name. */
  async swarmId(options: CallOptions = {}): Promise<string> {
    return (await this.#get<{ ID: string }>('/swarm', options)).ID;
  }

  /** Ends all connections. */
  close(): void {
    this.http.close();
  }

  async #list<T>(path: string, options: ListOptions): Promise<T[]> {
    const answer = await this.#get<unknown>(path, options, filters(options));
    if (!Array.isArray(answer))
      throw new HivekeepError('swarm/unreachable', `list ${path}: expected a list, found something else; is this the Docker API?`);
    return answer as T[];
  }

  async #get<T>(path: string, options: CallOptions, query?: Record<string, string>): Promise<T> {
    const { signal, timeoutMs } = options;
    const answer = await this.http.call({ signal, timeoutMs, method: 'GET', path, query, action: `read ${path}` });
    if (answer === null || typeof answer !== 'object')
      throw new HivekeepError('swarm/unreachable', `read ${path}: expected JSON, found something else; is this the Docker API?`);
    return answer as T;
  }

  async #updateObject(kind: 'configs' | 'secrets', id: string, version: number, body: ConfigSpec | SecretSpec, options: CallOptions) {
    const path = `/${kind}/${encodeURIComponent(id)}/update`;
    const query = { version: String(version) };
    await this.http.call({ ...options, method: 'POST', path, query, body, action: `update labels of ${body.Name}` });
  }

  async #remove(kind: DeletableKind, id: string, options: CallOptions): Promise<void> {
    const path = `/${kind}/${encodeURIComponent(id)}`;
    try {
      await this.http.call({ ...options, method: 'DELETE', path, action: `remove ${path.slice(1)}` });
    } catch (error) {
      if (!HivekeepError.is(error, 'swarm/gone')) throw error;
    }
  }
}

function filters(options: ListOptions): Record<string, string> | undefined {
  const given = Object.entries({ label: options.label, name: options.name, service: options.service })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, [value]]);
  return given.length > 0 ? { filters: JSON.stringify(Object.fromEntries(given)) } : undefined;
}

function dataOf(config: EngineConfig): Buffer {
  return Buffer.from(config.Spec.Data ?? '', 'base64');
}

function written(answer: unknown): Written {
  const { ID, Id } = (answer ?? {}) as { ID?: string; Id?: string };
  return { id: ID ?? Id ?? '', warnings: warningsOf(answer) };
}

function warningsOf(answer: unknown): string[] {
  const { Warnings, Warning } = (answer ?? {}) as { Warnings?: string[] | null; Warning?: string };
  return [...(Warnings ?? []), ...(Warning ? [Warning] : [])];
}
