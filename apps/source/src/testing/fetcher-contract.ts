import { describe, expect, it } from 'vitest';
import type { Fetcher } from '../seams/fetcher.ts';

/** A fetcher and a repository without a commit. */
export interface FetcherSubject extends AsyncDisposable {
  readonly fetcher: Fetcher;
  readonly repoURL: string;
  /** Commits files to `main` and gives the commit's full id. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
  /** Makes the remote unreachable. */
  lose(): Promise<void>;
}

/** What every `Fetcher` must do. */
export function fetcherContract(name: string, create: () => Promise<FetcherSubject>): void {
  describe(`${name} as a Fetcher`, () => {
    it('answers what the remote had when it was asked, and reads it without asking again', async () => {
      await using subject = await create();
      const { fetcher, repoURL } = subject;
      const first = await subject.commit({ 'a.txt': 'one' });
      const asked = await fetcher.ask(repoURL);
      expect(await asked.commitOf('main')).toBe(first);
      const second = await subject.commit({ 'a.txt': 'two' });
      expect(await asked.commitOf('main')).toBe(first);
      expect(await (await fetcher.ask(repoURL)).commitOf('main')).toBe(second);
      await subject.lose();
      const repository = await fetcher.repository(repoURL);
      expect([await repository.has(first), await repository.has('0'.repeat(40))]).toEqual([true, false]);
      const read = async (commit: string) => (await repository.tree(commit).read('a.txt')).toString();
      expect([await read(first), await read(second)]).toEqual(['one', 'two']);
      expect([await repository.descends(second, first), await repository.descends(first, second)]).toEqual([true, false]);
      expect((await repository.provenance(first)).commit).toBe(first);
    });

    it('says of what it does not know that it does not know it, and of a lost remote that it is lost', async () => {
      await using subject = await create();
      await subject.commit({ 'a.txt': 'one' });
      const asked = await subject.fetcher.ask(subject.repoURL);
      await expect(asked.commitOf('no-such-branch')).rejects.toMatchObject({ code: 'source/revision-unknown' });
      await subject.lose();
      await expect(subject.fetcher.ask(subject.repoURL)).rejects.toMatchObject({ code: expect.stringMatching(/^source\//) });
    });

    it('notes what was read, and tells whether that is still the same at another commit', async () => {
      await using subject = await create();
      const first = await subject.commit({ 'a.txt': 'one', 'b.txt': 'one' });
      const second = await subject.commit({ 'b.txt': 'two' });
      const asked = await subject.fetcher.ask(subject.repoURL);
      await asked.commitOf('main');
      const [a, b] = [asked.tree(first), asked.tree(first)];
      await a.read('a.txt');
      await b.read('b.txt');
      await expect(b.read('c.txt')).rejects.toMatchObject({ code: 'source/path-missing' });
      expect([await asked.isUnchanged(second, a.reads), await asked.isUnchanged(second, b.reads)]).toEqual([true, false]);
      const third = await subject.commit({ 'b.txt': 'one' });
      await (await subject.fetcher.ask(subject.repoURL)).commitOf('main');
      expect(await asked.isUnchanged(third, b.reads)).toBe(true);
    });

    it('reads nothing outside the repository, and nothing larger than it may', async () => {
      await using subject = await create();
      const commit = await subject.commit({ 'a.txt': 'one' });
      const asked = await subject.fetcher.ask(subject.repoURL);
      await asked.commitOf('main');
      for (const path of ['../a.txt', '/etc/passwd'])
        await expect(asked.tree(commit).read(path)).rejects.toMatchObject({ code: 'source/refused' });
      await expect(asked.tree(commit, { maxFileBytes: 2 }).read('a.txt')).rejects.toMatchObject({ code: 'source/too-large' });
    });
  });
}
