import { type BuildResult, HivekeepError } from '@hivekeep/contracts';
import { aSpec } from '@hivekeep/testkit';
import { expect, it, vi } from 'vitest';
import { ApplicationEntry } from '../work/application-entry.ts';
import { startTick } from './tick.ts';

const entry = (name: string, repository: string) =>
  new ApplicationEntry(
    aSpec({ name, source: { repoURL: `https://git.test/${repository}`, revision: 'main', compose: { files: ['c.yml'] } } }),
  );
const failed = (application: string): BuildResult => ({ application, error: { code: 'source/unreachable', message: 'gone' } });

/** A tick whose repository `slow` never answers; what each pass was given, by name. */
function given(answer: (name: string) => BuildResult | undefined = failed) {
  const built = new Map<string, BuildResult | undefined>();
  const calls: string[][] = [];
  const start = (due: ApplicationEntry[]) =>
    startTick(
      {
        source: {
          build: async (requests) => {
            calls.push(requests.map(({ application }) => application.name));
            if (requests.some(({ application }) => application.source.repoURL.endsWith('slow'))) return new Promise(() => undefined);
            return new Map(
              requests.flatMap(({ application: { name } }) => [[name, answer(name)] as const].filter(([, each]) => each)) as [
                string,
                BuildResult,
              ][],
            );
          },
        },
        pass: { run: async (one, _, { build }) => void built.set(one.name, build?.result) },
        passed: (_, work) => work.end(),
      },
      due,
      new AbortController().signal,
    );
  return { start, built, calls };
}

it('asks each repository once, and waits for none of the others', async () => {
  const { start, built, calls } = given();
  const [, ...quick] = start([entry('slow', 'slow'), entry('shop', 'one'), entry('blog', 'one')]);
  await Promise.all(quick);
  expect(calls).toEqual([['slow'], ['shop', 'blog']]);
  expect([...built.keys()]).toEqual(['shop', 'blog']);
});

it('leaves an application that is at work alone, and tells one that got no answer', async () => {
  const { start, built } = given(() => undefined);
  const busy = entry('busy', 'one');
  const work = busy.tryAcquire(new AbortController().signal);
  await Promise.all(start([busy, entry('shop', 'one')]));
  work?.end();
  expect(built).toEqual(new Map([['shop', { application: 'shop', error: expect.objectContaining({ code: 'bus/invalid-message' }) }]]));
});

it('gives every application of a repository the failure of its call', async () => {
  const run = vi.fn(async () => undefined);
  const source = { build: () => Promise.reject(new HivekeepError('bus/no-answer', 'no source')) };
  const tools = { source, pass: { run }, passed: () => undefined };
  const blog = entry('blog', 'one');
  await Promise.all(startTick(tools, [entry('shop', 'one'), blog], new AbortController().signal));
  expect(run).toHaveBeenCalledTimes(2);
  expect(run).toHaveBeenCalledWith(expect.anything(), expect.anything(), {
    force: false,
    actor: '',
    build: { spec: blog.spec, result: { application: 'blog', error: { code: 'bus/no-answer', message: 'no source' } } },
  });
});

it('ends at once for an application that leaves, whatever its repository is waited for', async () => {
  const { start, built } = given();
  const slow = entry('slow', 'slow');
  const [pass] = start([slow]);
  expect(await slow.retire(1_000)).toBe(true);
  await pass;
  expect(built.size).toBe(0);
});
