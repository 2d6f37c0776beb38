import type { NodeBackend } from '@hivekeep/swarm';
import { describe, expect, it, vi } from 'vitest';
import { VolumeDoor } from './volume-door.ts';

/** A node whose daemon answers when told to. */
function bench() {
  const begun: string[] = [];
  const answers: ((failure?: Error) => void)[] = [];
  const daemonCall = (what: string) => {
    begun.push(what);
    return new Promise<void>((resolve, reject) => answers.push((failure) => (failure ? reject(failure) : resolve())));
  };
  const backend: NodeBackend = {
    stackVolumes: async ({ stack }) => {
      await daemonCall(`list ${stack}`);
      return { nodeId: 'n1', ticket: 't', validMs: 10_000, volumes: [] };
    },
    removeVolume: async ({ volume }) => {
      await daemonCall(`remove ${volume}`);
      return { removed: true };
    },
  };
  const door = new VolumeDoor(backend);
  const remove = (volume: string, signal?: AbortSignal) =>
    door.removeVolume({ stack: 'shop', volume, ticket: 't', epoch: 7, ...(signal && { signal }) });
  const isBegun = (...calls: string[]) => vi.waitFor(() => expect(begun).toEqual(calls));
  return { door, begun, isBegun, remove, answer: (failure?: Error) => answers.shift()?.(failure) };
}

describe('VolumeDoor', () => {
  it("answers a successor's list only after its predecessor's removal has ended", async () => {
    const { door, isBegun, remove, answer } = bench();
    const removal = remove('data');
    const list = door.stackVolumes({ stack: 'shop', epoch: 8 });
    await isBegun('remove data');
    answer();
    expect(await removal).toEqual({ removed: true });
    await isBegun('remove data', 'list shop');
    answer();
    expect(await list).toMatchObject({ nodeId: 'n1' });
  });

  it('keeps the turn of a call whose caller gave up: the daemon may still be at it', async () => {
    const { begun, isBegun, remove, answer } = bench();
    const caller = new AbortController();
    const abandoned = remove('data', caller.signal);
    await isBegun('remove data');
    caller.abort();
    await expect(abandoned).rejects.toMatchObject({ code: 'cancelled' });
    const next = remove('cache');
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['remove data']);
    answer();
    await isBegun('remove data', 'remove cache');
    answer();
    await next;
  });

  it('begins nothing for a caller that gave up while waiting', async () => {
    const { isBegun, remove, answer } = bench();
    const first = remove('data');
    const caller = new AbortController();
    const waiting = remove('cache', caller.signal);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    await isBegun('remove data');
    answer();
    await first;
    const last = remove('logs');
    await isBegun('remove data', 'remove logs');
    answer();
    await last;
  });

  it('goes on after a call that failed', async () => {
    const { isBegun, remove, answer } = bench();
    const failing = remove('data');
    await isBegun('remove data');
    answer(new Error('in use'));
    await expect(failing).rejects.toThrow('in use');
    const next = remove('cache');
    await isBegun('remove data', 'remove cache');
    answer();
    expect(await next).toEqual({ removed: true });
  });
});
