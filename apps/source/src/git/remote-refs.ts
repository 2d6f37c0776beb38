import { HivekeepError } from '@hivekeep/contracts';

/** What the remote named when it was asked: full ref name → object id, annotated tags peeled to what they name. */
export type RemoteRefs = ReadonlyMap<string, string>;

const FULL_SHA = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** Reads the output of `git ls-remote --heads --tags` (git-ls-remote(1)); `^{}` lines replace their tag. */
export function parseRemoteRefs(output: string): RemoteRefs {
  const refs = new Map<string, string>();
  for (const line of output.split('\n')) {
    const [id, name] = line.split('\t');
    if (id === undefined || name === undefined || !FULL_SHA.test(id)) continue;
    refs.set(name.endsWith('^{}') ? name.slice(0, -3) : name, id);
  }
  return refs;
}

/**
 * The object a revision names: a tag before a branch of the same name, then a full id.
 * Throws `source/revision-unknown`, which says whether the repository is empty.
 */
export function pickRevision(revision: string, refs: RemoteRefs, where: string): string {
  const id = refs.get(`refs/tags/${revision}`) ?? refs.get(`refs/heads/${revision}`);
  if (id !== undefined) return id;
  if (FULL_SHA.test(revision)) return revision;
  if (refs.size === 0) throw new HivekeepError('source/revision-unknown', `${where} has no branch and no tag yet; push a commit first`);
  const hint = /^[0-9a-f]{7,63}$/.test(revision) ? '; a commit is named by its full id' : '';
  throw new HivekeepError('source/revision-unknown', `${where} has no tag or branch ${JSON.stringify(revision)}${hint}`);
}
