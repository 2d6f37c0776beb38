import { createHash } from 'node:crypto';
import { type Artifact, canonicalJson, HivekeepError, type ReplyOf, type RequestOf, type Spec, sourceCalls } from '@hivekeep/contracts';
import { BUS, Handle, MemoryBus, type RunningService, sealTo, silentLogger, startService } from '@hivekeep/runtime';
import { Controller, Inject, Module } from '@nestjs/common';

type Release = Pick<Artifact['releases'][number], 'manifest'> & Partial<Artifact['releases'][number]>;

/** What a test's source has: an app set and, by application, what its sources render to. */
export class SourceState {
  applications: Spec[] = [];
  others: { name: string; swarm: string; releases: string[] }[] = [];
  complete = true;
  /** The newest set can't be read: there is the last good one, which is no evidence. */
  stale = false;
  descends = true;
  commit = 'c'.repeat(40);
  /** The set's own repository. */
  repoURL = 'https://git.example.invalid/app-set.git';
  readonly releases = new Map<string, readonly Release[]>();
  readonly secrets = new Map<string, string>();
  /** Throws to fail an application's build; what is built was read before. */
  failBuild: (application: string) => void | Promise<void> = () => undefined;
  /** Asked for before contents of secrets are given. */
  beforeSecrets: () => Promise<void> = async () => undefined;
  builds = 0;
  /** Names of the applications that were built, in order. */
  readonly builtOf: string[] = [];
  /** Loads of the app set. */
  loads = 0;

  declare(spec: Spec, manifest: string, more: Partial<Release> = {}): void {
    this.applications = [...this.applications.filter(({ name }) => name !== spec.name), spec];
    this.releases.set(spec.name, [{ manifest, ...more }]);
  }

  withdraw(name: string): void {
    this.applications = this.applications.filter((spec) => spec.name !== name);
  }
}

@Controller()
class FakeSourceController {
  constructor(
    private readonly state: SourceState,
    @Inject(BUS) private readonly bus: MemoryBus,
  ) {}

  @Handle(sourceCalls.appSet)
  async onAppSet({ evidence }: RequestOf<typeof sourceCalls.appSet>): Promise<ReplyOf<typeof sourceCalls.appSet>> {
    this.state.loads += 1;
    const { applications, others, stale, descends, commit, repoURL } = this.state;
    if (stale && evidence) throw new HivekeepError('appset/stale', 'nothing is known of the newest app set');
    const complete = this.state.complete && !stale;
    const set = { mode: 'git' as const, source: 'test', identity: 'git test', repoURL, revision: commit, digest: '' };
    return { ...set, complete, descends, applications, others };
  }

  @Handle(sourceCalls.build)
  async onBuild({ applications }: RequestOf<typeof sourceCalls.build>): Promise<ReplyOf<typeof sourceCalls.build>> {
    this.state.builds += 1;
    this.state.builtOf.push(...applications.map(({ application }) => application.name));
    return { results: await Promise.all(applications.map(({ application }) => this.#build(application.name))) };
  }

  @Handle(sourceCalls.secretContents)
  async onSecretContents({
    names,
    publicKey,
  }: RequestOf<typeof sourceCalls.secretContents>): Promise<ReplyOf<typeof sourceCalls.secretContents>> {
    await this.state.beforeSecrets();
    const sealed = names.flatMap((name) => {
      const content = this.state.secrets.get(name);
      return content === undefined ? [] : [[name, sealTo(publicKey, Buffer.from(content))]];
    });
    return { sealed: Object.fromEntries(sealed) };
  }

  async #build(application: string): Promise<ReplyOf<typeof sourceCalls.build>['results'][number]> {
    try {
      const releases = (this.state.releases.get(application) ?? []).map((release) => ({ ...EMPTY_RELEASE, name: application, ...release }));
      await this.state.failBuild(application);
      const bytes = Buffer.from(canonicalJson({ format: 'hivekeep.artifact/v1', releases, warnings: [] } satisfies Artifact));
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      await this.bus.artifacts.put(digest, bytes);
      return { application, digest, provenance: { commit: this.state.commit }, warnings: [], complete: true };
    } catch (error) {
      return { application, error: HivekeepError.from(error).toWire() };
    }
  }
}

const EMPTY_RELEASE = { wave: 0, chart: { name: 'compose', version: '0.0.0', ref: 'compose' }, values: {}, files: {}, secrets: [] };

@Module({ controllers: [FakeSourceController] })
class FakeSourceModule {}

/** Serves a test's source on a bus. */
export function startFakeSource(bus: MemoryBus, state: SourceState): Promise<RunningService> {
  return startService({
    name: 'source',
    module: {
      module: FakeSourceModule,
      providers: [{ provide: SourceState, useValue: state }],
    },
    bus,
    contracts: [sourceCalls.appSet, sourceCalls.build, sourceCalls.secretContents],
    logger: silentLogger,
  });
}
