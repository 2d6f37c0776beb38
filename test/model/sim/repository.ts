import { createHash } from 'node:crypto';
import type { Artifact, Spec } from '@hivekeep/contracts';
import { canonicalJson } from '@hivekeep/contracts';
import { aSpec } from '@hivekeep/testkit';

/** What an application deploys, by its files in the repository. */
export interface Content {
  readonly version: number;
  readonly volume: boolean;
  /** A volume of another release that it mounts. */
  readonly mounts?: string | undefined;
  readonly replicas: number;
}

export interface Declared {
  readonly name: string;
  readonly release: string;
  readonly swarm: string;
}

/** A commit: the app set (undefined: the file is broken) and every application's files, those that left included. */
export interface Commit {
  readonly id: string;
  readonly parent: Commit | undefined;
  readonly set: readonly Declared[] | undefined;
  readonly files: ReadonlyMap<string, Content>;
}

export const HOME = 'home';

/** A repository with one branch. */
export class Repository {
  head: Commit = { id: idOf(0), parent: undefined, set: [], files: new Map() };
  readonly #byId = new Map([[this.head.id, this.head]]);
  #count = 0;

  commit(change: Partial<Pick<Commit, 'set' | 'files'>>, parent: Commit | undefined = this.head): Commit {
    this.#count += 1;
    const base = parent ?? this.head;
    const set = 'set' in change ? change.set : validSet(base);
    this.head = { id: idOf(this.#count), parent, set, files: change.files ?? base.files };
    this.#byId.set(this.head.id, this.head);
    return this.head;
  }

  get(id: string): Commit | undefined {
    return this.#byId.get(id);
  }

  /** Whether `older` is `newer` or stands in its history. */
  descends(newer: string, older: string): boolean {
    for (let at = this.#byId.get(newer); at; at = at.parent) if (at.id === older) return true;
    return false;
  }
}

/** What the newest valid set in a commit's history declares. */
export function validSet(commit: Commit): readonly Declared[] {
  for (let at: Commit | undefined = commit; at; at = at.parent) if (at.set) return at.set;
  return [];
}

function idOf(number: number): string {
  return createHash('sha1').update(`commit ${number}`).digest('hex');
}

/** Names of the volumes that a release with this content declares or mounts. */
export function volumesOf(release: string, { volume, mounts }: Content): string[] {
  return [...(volume ? [`${release}_data`] : []), ...(mounts ? [mounts] : [])];
}

const specs = new Map<string, Spec>();

export function specOf(declared: Declared, content: Content | undefined): Spec {
  const { name, release, swarm } = declared;
  const key = `${name} ${release} ${swarm} ${content?.mounts}`;
  const known = specs.get(key);
  if (known) return known;
  const spec = aSpec({
    name,
    source: { repoURL: 'https://git.test/all', revision: 'main', compose: { files: ['c.yml'], release } },
    destination: swarm === HOME ? {} : { swarm },
    syncPolicy: { automated: true, historyMax: 2 },
    ...(content?.mounts && { allow: { volumes: [content.mounts] } }),
  });
  specs.set(key, spec);
  return spec;
}

const artifacts = new Map<string, { digest: string; bytes: Uint8Array }>();

/** What a build of a release gives. */
export function artifactOf(release: string, content: Content): { digest: string; bytes: Uint8Array } {
  const key = `${release} ${content.version} ${content.volume} ${content.mounts} ${content.replicas}`;
  const known = artifacts.get(key);
  if (known) return known;
  const config = `${release}_conf-${createHash('sha256').update(String(content.version)).digest('hex').slice(0, 12)}`;
  const mounted = [...(content.volume ? ['data:/data'] : []), ...(content.mounts ? ['other:/other'] : [])];
  const volumes = {
    ...(content.volume && { data: {} }),
    ...(content.mounts && { other: { external: true, name: content.mounts } }),
  };
  const manifest = JSON.stringify({
    services: {
      web: {
        image: `web:${content.version}`,
        deploy: { replicas: content.replicas },
        configs: ['conf'],
        ...(mounted.length > 0 && { volumes: mounted }),
      },
    },
    configs: { conf: { name: config } },
    ...(mounted.length > 0 && { volumes }),
  });
  const files = { [config]: Buffer.from(`version ${content.version}`).toString('base64') };
  const chart = { name: 'compose', version: '0.0.0', ref: 'compose' };
  const releases = [{ name: release, wave: 0, chart, values: {}, manifest, files, secrets: [] }];
  const bytes = Buffer.from(canonicalJson({ format: 'hivekeep.artifact/v1', releases, warnings: [] } satisfies Artifact));
  const made = { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes };
  artifacts.set(key, made);
  artifactBytes.set(made.digest, bytes);
  return made;
}

export const artifactBytes = new Map<string, Uint8Array>();
