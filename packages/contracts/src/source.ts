import { z } from 'zod';
import { Issue, WireError } from './errors.ts';
import { ApplicationName, Commit, Digest, Timestamp } from './names.ts';
import { rpc } from './rpc.ts';
import { Spec } from './spec.ts';
import { AppSetMode, Provenance, Warning } from './status.ts';

/**
 * The app set as one swarm may see it: its own applications whole, of the rest the names alone.
 * `complete` says that this load asked the remote for this very request and that the newest commit there is valid:
 * only such an answer is evidence that something left.
 */
export const AppSetAnswer = z.object({
  mode: AppSetMode,
  /** For people: the file or `URL path@revision`. */
  source: z.string(),
  /** Which set this is (URL and path, or the file's path); the lease binds it. */
  identity: z.string(),
  /** The repository that a commit of the set is of, in git mode: who builds from it has something new to look at, too. */
  repoURL: z.string().optional(),
  /** The commit in git mode, else the sha256 of the content. Empty while nothing was ever loaded. */
  revision: z.string(),
  /** sha256 of the set's bytes. */
  digest: z.string(),
  loadedAt: Timestamp.optional(),
  complete: z.boolean(),
  /** Whether `have` is an ancestor of (or equal to) the newest commit; undefined when it can't be told. */
  descends: z.boolean().optional(),
  /** The applications of the asking swarm. */
  applications: z.array(Spec),
  /** Every other application: name, its swarm, and the release names known from its spec. */
  others: z.array(z.object({ name: z.string(), swarm: z.string(), releases: z.array(z.string()) })),
  /** Why the newest content is not what is answered. */
  error: WireError.optional(),
  issues: z.array(Issue).optional(),
});
export type AppSetAnswer = z.infer<typeof AppSetAnswer>;

/** The app set for the asking swarm. `have`: the commit the caller holds; a source behind it asks the remote first. */
export const appSet = rpc({
  service: 'source',
  verb: 'app-set',
  scope: 'hub',
  callers: ['reconciler', 'gateway'],
  request: z.object({
    /** Whether the asking reconciler is the home one, whose applications have an empty destination. */
    home: z.boolean(),
    have: z.string().optional(),
    /** Ask the remote now and answer only with that. */
    evidence: z.boolean().default(false),
  }),
  reply: AppSetAnswer,
  errors: ['appset/invalid', 'appset/not-found', 'appset/stale', 'source/behind', 'source/unreachable', 'source/auth', 'source/timeout'],
  deadlineMs: 60_000,
});

export const BuildRequest = z.object({
  application: Spec,
  /** The commit the caller built from last: an answer is never older. */
  have: Commit.optional(),
  /** An artifact of an earlier answer that the store does not have (any more): it is built and stored again. */
  lost: Digest.optional(),
});

export const BuildResult = z.union([
  z.object({
    application: ApplicationName,
    digest: Digest,
    provenance: Provenance,
    warnings: z.array(Warning),
    /** The remote was asked for this request and this is its newest commit. */
    complete: z.boolean(),
  }),
  z.object({ application: ApplicationName, error: WireError }),
]);
export type BuildResult = z.infer<typeof BuildResult>;

/** Builds applications; the remote of each repository is asked once per call. Artifacts are in the artifact store afterwards. */
export const build = rpc({
  service: 'source',
  verb: 'build',
  scope: 'hub',
  callers: ['reconciler'],
  request: z.object({ applications: z.array(BuildRequest).min(1).max(500) }),
  reply: z.object({ results: z.array(BuildResult) }),
  errors: ['source/unreachable'],
  deadlineMs: 120_000,
});

/** Contents of secrets an artifact refers to, each sealed to the caller's X25519 public key (base64). */
export const secretContents = rpc({
  service: 'source',
  verb: 'secret-contents',
  scope: 'hub',
  callers: ['reconciler'],
  request: z.object({
    application: Spec,
    commit: Commit,
    release: z.string(),
    names: z.array(z.string()).min(1).max(500),
    publicKey: z.string(),
  }),
  reply: z.object({ sealed: z.record(z.string(), z.string()) }),
  errors: ['artifact/missing', 'source/unreachable', 'source/revision-unknown'],
  deadlineMs: 60_000,
});
