import { createHash } from 'node:crypto';
import {
  type Artifact,
  type BuildResult,
  HivekeepError,
  type ReplyOf,
  type RequestInput,
  type Rpc,
  readArtifact,
  type Spec,
  sourceCalls,
} from '@hivekeep/contracts';
import { type Bus, hedged, openSealed, sealingKeys } from '@hivekeep/runtime';
import { pause, throwIfAborted } from './work/lane.ts';

/** Applications in one build call. */
const BATCH = 250;
/** How long nobody may answer before that is an error, and how often it is tried. Milliseconds. */
const ABSENT_MS = 10_000;
const RETRY_MS = 250;
/** How often more than once a source is asked that is behind: each time any of them answers, and another one may not be. */
const BEHIND_RETRIES = 5;

/** What the reconciler asks of `source`, for one swarm. */
export class SourceClient {
  readonly #bus: Bus;
  readonly #swarm: string;

  constructor(bus: Bus, swarm: string) {
    this.#bus = bus;
    this.#swarm = swarm;
  }

  /**
   * The app set as this swarm may see it; no evidence where it is of a kind that only a later version knows, and what it lacks may not have
   * left. Throws the call's codes.
   */
  async appSet(
    request: { readonly home: boolean; readonly have: string | undefined; readonly evidence: boolean },
    signal: AbortSignal,
  ): Promise<sourceCalls.AppSetAnswer> {
    const { have, ...rest } = request;
    const answer = await this.#ask(sourceCalls.appSet, { ...rest, ...(have !== undefined && { have }) }, signal);
    return { ...answer, complete: answer.complete && answer.mode !== 'unknown' };
  }

  /** Builds; the answer has one result for each application asked for. Throws when the call as a whole fails. */
  async build(
    requests: readonly { readonly application: Spec; readonly have?: string; readonly lost?: string }[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, BuildResult>> {
    const batches = Array.from({ length: Math.ceil(requests.length / BATCH) }, (_, index) =>
      requests.slice(index * BATCH, (index + 1) * BATCH),
    );
    const results = new Map<string, BuildResult>();
    // those of the batch that are built wait, too: a source whose Git hangs is not asked again and again
    const until = performance.now() + ABSENT_MS;
    const ask = async (applications: (typeof requests)[number][], retries: number): Promise<void> => {
      const reply = await this.#ask(sourceCalls.build, { applications }, signal);
      for (const result of reply.results) results.set(result.application, result);
      const behind = applications.filter(({ application }) => isBehind(results.get(application.name)));
      if (behind.length === 0 || retries === 0 || performance.now() >= until) return;
      await pause(RETRY_MS, signal);
      throwIfAborted(signal);
      await ask(behind, retries - 1);
    };
    // at once, so that a source that gets several asks each repository once for all of them
    await Promise.all(batches.map((batch) => ask(batch, BEHIND_RETRIES)));
    return results;
  }

  /** An artifact by its digest. Throws `artifact/missing` when the store does not have it intact. */
  async artifact(digest: string): Promise<Artifact> {
    const bytes = await this.#bus.artifacts.get(digest);
    if (!bytes) throw new HivekeepError('artifact/missing', `artifact ${digest} is in no store; the next build makes it again`);
    const found = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    if (found !== digest) throw new HivekeepError('artifact/missing', `artifact ${digest} is damaged: what the store has is ${found}`);
    return readArtifact(Buffer.from(bytes).toString('utf8'));
  }

  /** Contents of secrets, base64 by name. One a call, since a sealed secret may fill a message; each sealed to a key of its own. */
  async secretContents(
    request: { readonly application: Spec; readonly commit: string; readonly release: string; readonly names: readonly string[] },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const contents = new Map<string, string>();
    for (const name of request.names) {
      const keys = sealingKeys();
      const { application, commit, release } = request;
      const asked = { application, commit, release, names: [name], publicKey: keys.publicKey };
      const { sealed } = await this.#ask(sourceCalls.secretContents, asked, signal);
      const content = sealed[name];
      if (content !== undefined) contents.set(name, openSealed(keys.privateKey, content).toString('base64'));
    }
    return contents;
  }

  /** A source that is absent is waited for a while: it may be starting again. */
  async #ask<C extends Rpc>(contract: C, request: RequestInput<C>, signal: AbortSignal): Promise<ReplyOf<C>> {
    const ask = (own: AbortSignal) => this.#bus.call(contract, { swarm: this.#swarm }, request, { signal: own });
    const until = performance.now() + ABSENT_MS;
    for (;;) {
      try {
        return await hedged(ask, { signal });
      } catch (error) {
        if (!HivekeepError.is(error, 'bus/no-answer') || performance.now() >= until) throw error;
      }
      await pause(RETRY_MS, signal);
      throwIfAborted(signal);
    }
  }
}

function isBehind(result: BuildResult | undefined): boolean {
  return result !== undefined && 'error' in result && result.error.code === 'source/behind';
}
