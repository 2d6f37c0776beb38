import { canonicalJson, type Spec } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import type { Builder } from '../seams/builder.ts';

/** A builder and a repository without a commit. */
export interface BuilderSubject extends AsyncDisposable {
  readonly builder: Builder;
  /** An application whose compose file is `<name>.yaml` of that repository. */
  spec(name: string): Spec;
  commit(files: Readonly<Record<string, string>>): Promise<string>;
  /** The artifact that was stored under a digest. */
  artifact(digest: string): unknown;
}

/** What every `Builder` must do. */
export function builderContract(name: string, create: () => Promise<BuilderSubject>): void {
  describe(`${name} as a Builder`, () => {
    const { signal } = new AbortController();
    const web = (image: string) => `services: {web: {image: "${image}"}}\n`;
    const built = async ({ builder, spec }: BuilderSubject, application: string) => {
      const [result] = await builder.build('east', [{ application: spec(application) }], signal);
      if (!result || 'error' in result) throw new Error(`not built: ${result?.error.message}`);
      return result;
    };

    it('gives one result for each application, in their order; an error costs its own alone', async () => {
      await using subject = await create();
      await subject.commit({ 'shop.yaml': web('nginx:1'), 'bad.yaml': 'services: [' });
      const names = ['bad', 'shop', 'none'];
      const requests = names.map((each) => ({ application: subject.spec(each) }));
      const results = await subject.builder.build('east', requests, signal);
      expect(results.map(({ application }) => application)).toEqual(names);
      expect(results.map((result) => 'error' in result)).toEqual([true, false, true]);
    });

    it('gives equal content the same artifact, with the commit beside it, and other content another', async () => {
      await using subject = await create();
      const first = await subject.commit({ 'shop.yaml': web('nginx:1') });
      const one = await built(subject, 'shop');
      const second = await subject.commit({ 'readme.md': 'nothing to do with it' });
      const same = await built(subject, 'shop');
      expect([one.provenance.commit, same.provenance.commit, same.digest]).toEqual([first, second, one.digest]);
      expect(canonicalJson(subject.artifact(one.digest))).not.toContain(first);
      await subject.commit({ 'shop.yaml': web('nginx:2') });
      expect((await built(subject, 'shop')).digest).not.toBe(one.digest);
    });

    it('gives contents of secrets at their commit, and keeps them out of the artifact', async () => {
      await using subject = await create();
      const manifest = `${web('nginx:1')}secrets: {key: {file: ./key}}\n`;
      const first = await subject.commit({ 'shop.yaml': manifest, key: 'open sesame' });
      const { digest } = await built(subject, 'shop');
      const artifact = JSON.stringify(subject.artifact(digest));
      const [name = ''] = /shop_key-[0-9a-f]{12}/.exec(artifact) ?? [];
      expect([name === '', artifact.includes('sesame')]).toEqual([false, false]);
      await subject.commit({ key: 'closed' });
      const contents = await subject.builder.secretContents('east', subject.spec('shop'), first, [name]);
      expect([...contents].map(([key, bytes]) => [key, Buffer.from(bytes).toString()])).toEqual([[name, 'open sesame']]);
      const lost = subject.builder.secretContents('east', subject.spec('shop'), first, ['shop_other']);
      await expect(lost).rejects.toMatchObject({ code: 'artifact/missing' });
    });
  });
}
