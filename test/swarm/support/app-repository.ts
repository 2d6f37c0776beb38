import { type GitEntry, type GitRepo, type GitServer, gitServer } from '@hivekeep/testkit';

/** An application as an app set declares it; what is left out is a compose source of this repository. */
export interface AppDeclaration {
  readonly name: string;
  /** Compose files, by default `NAME.yaml`. */
  readonly files?: readonly string[];
  /** More members of `source.compose`: `env`, `envFiles`, `release`, `dialect`. */
  readonly compose?: Record<string, unknown>;
  /** Instead of a compose source: `releaseFile` or `chart`. */
  readonly source?: Record<string, unknown>;
  readonly syncPolicy?: Record<string, unknown>;
  readonly allow?: Record<string, readonly string[]>;
  readonly driftDetection?: 'manifest' | 'live';
  readonly destination?: { readonly swarm: string };
}

/** A Git server with one repository that holds an app set and what its applications are made of. */
export interface AppRepository extends AsyncDisposable {
  readonly server: GitServer;
  readonly repo: GitRepo;
  readonly url: string;
  /** Path of the app set in the repository. */
  readonly appSetPath: string;
  /** Changes files on `main` and gives the commit. */
  commit(entries: Record<string, GitEntry>): Promise<string>;
  /** Makes the app set exactly these applications, changes `entries` in the same commit, and gives it. */
  declare(applications: readonly AppDeclaration[], entries?: Record<string, GitEntry>): Promise<string>;
  /** The app set's text, for a test that stores it in another place. */
  appSetOf(applications: readonly AppDeclaration[]): string;
}

/** `await using apps = await appRepository()`; a controller makes one of its own where none is shared. */
export async function appRepository(): Promise<AppRepository> {
  const server = await gitServer();
  const repo = await server.createRepo('apps');
  const url = server.url('apps');
  const appSetPath = 'applications.yaml';
  const appSetOf = (applications: readonly AppDeclaration[]) =>
    JSON.stringify({ applications: applications.map((application) => declared(application, url)) }, null, 2); // JSON is YAML
  await repo.commit({ [appSetPath]: appSetOf([]) });
  return {
    server,
    repo,
    url,
    appSetPath,
    appSetOf,
    commit: (entries) => repo.commit(entries),
    declare: (applications, entries = {}) => repo.commit({ ...entries, [appSetPath]: appSetOf(applications) }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function declared(
  { name, files = [`${name}.yaml`], compose = {}, source, ...rest }: AppDeclaration,
  repoURL: string,
): Record<string, unknown> {
  return { name, source: { repoURL, revision: 'main', ...(source ?? { compose: { files, ...compose } }) }, ...rest };
}
