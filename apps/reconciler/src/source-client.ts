import { createHash } from 'node:crypto';
import { Artifact, type BuildResult, HivekeepError, type Spec, sourceCalls } from '@hivekeep/contracts';
import { type Bus, openSealed, sealingKeys } from '@hivekeep/runtime';

/** Artifacts kept in memory; the store has the others. */
const KEPT_ARTIFACTS = 2_000;
/** Applications in one build call. */
const BATCH = 100;

/** What the reconciler asks of `source`, for one swarm. */
export class SourceClient {
  readonly #bus: Bus;
  readonly #swarm: string;
  readonly #artifacts = new Map<string, Artifact>();

  constructor(bus: Bus, swarm: string) {
    this.#bus = bus;
    this.#swarm = swarm;
  }

  /** The app set as this swarm may see it. Throws the call's codes. */
  async appSet(
    request: { readonly home: boolean; readonly have: string | undefined; readonly evidence: boolean },
    signal: AbortSignal,
  ): Promise<sourceCalls.AppSetAnswer> {
    const { have, ...rest } = request;
    return this.#bus.call(sourceCalls.appSet, { swarm: this.#swarm }, { ...rest, ...(have !== undefined && { have }) }, { signal });
  }

  /** Builds; the answer has one result for each application asked for. Throws when the call as a whole fails. */
  async build(
    requests: readonly { readonly application: Spec; readonly have?: string }[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, BuildResult>> {
    const results = new Map<string, BuildResult>();
    for (let from = 0; from < requests.length; from += BATCH) {
      const applications = requests.slice(from, from + BATCH);
      const reply = await this.#bus.call(sourceCalls.build, { swarm: this.#swarm }, { applications: [...applications] }, { signal });
      for (const result of reply.results) results.set(result.application, result);
    }
    return results;
  }

  /** An artifact by its digest. Throws `artifact/missing` when neither memory nor the store has it intact. */
  async artifact(digest: string): Promise<Artifact> {
    const known = this.#artifacts.get(digest);
    if (known) return known;
    const bytes = await this.#bus.artifacts.get(digest);
    if (!bytes) throw new HivekeepError('artifact/missing', `artifact ${digest} is in no store; the next build makes it again`);
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (found !== digest) throw new HivekeepError('artifact/missing', `artifact ${digest} is damaged: what the store has is ${found}`);
    const artifact = Artifact.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    if (this.#artifacts.size >= KEPT_ARTIFACTS) this.#artifacts.delete(this.#artifacts.keys().next().value as string);
    this.#artifacts.set(digest, artifact);
    return artifact;
  }

  /** Contents of secrets, base64 by name, sealed on the way to a key made for this call. */
  async secretContents(
    request: { readonly application: Spec; readonly commit: string; readonly release: string; readonly names: readonly string[] },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    if (request.names.length === 0) return new Map();
    const keys = sealingKeys();
    const reply = await this.#bus.call(
      sourceCalls.secretContents,
      { swarm: this.#swarm },
      {
        application: request.application,
        commit: request.commit,
        release: request.release,
        names: [...request.names],
        publicKey: keys.publicKey,
      },
      { signal },
    );
    return new Map(
      Object.entries(reply.sealed).map(([name, sealed]) => [name, Buffer.from(openSealed(keys.privateKey, sealed)).toString('base64')]),
    );
  }
}
