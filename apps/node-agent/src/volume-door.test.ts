import { describe, expect, it, vi } from 'vitest';
import { MemoryNode } from './testing/memory-node.ts';
import { nodeBackendContract } from './testing/node-backend.contract.ts';
import { VolumeDoor } from './volume-door.ts';

const open = new AbortController().signal;

function bench() {
  const clock = { ms: 1_000 };
  const node = new MemoryNode();
  node.add('shop_data', 'shop');
  node.add('shop_cache', 'shop');
  node.add('blog_data', 'blog');
  const door = new VolumeDoor({ node: 'n1', backend: node, now: () => clock.ms });
  const list = (epoch = 7, stack = 'shop') => door.stackVolumes({ stack, epoch }, open);
  const remove = (ticket: string, more: Partial<{ stack: string; volume: string; epoch: number }> = {}, signal = open) =>
    door.removeVolume({ ticket, stack: 'shop', volume: 'shop_data', epoch: 7, ...more }, signal);
  return { clock, node, door, list, remove };
}

describe('VolumeDoor', () => {
  it('lists with a ticket and removes each volume of the list with it', async () => {
    const { list, remove, node } = bench();
    const { ticket, ...answer } = await list();
    expect(answer).toMatchObject({ node: 'n1', validMs: 10_000, volumes: [{ name: 'shop_data' }, { name: 'shop_cache' }] });
    expect(await remove(ticket)).toEqual({ removed: true });
    expect(await remove(ticket, { volume: 'shop_cache' })).toEqual({ removed: true });
    expect(await remove(ticket)).toEqual({ removed: false });
    expect([...node.volumes.keys()]).toEqual(['blog_data']);
  });

  it.each<[string, Parameters<ReturnType<typeof bench>['remove']>[1], string]>([
    ['a volume that was not listed', { volume: 'blog_data' }, 'node/ticket'],
    ['another stack', { stack: 'blog', volume: 'blog_data' }, 'node/ticket'],
    ['another epoch than the ticket has', { epoch: 8 }, 'node/ticket'],
    ['a lower epoch', { epoch: 6 }, 'node/stale-epoch'],
  ])('refuses %s without a call to the daemon', async (_case, change, code) => {
    const { list, remove, node } = bench();
    const { ticket } = await list();
    await expect(remove(ticket, change)).rejects.toMatchObject({ code });
    expect(node.calls).toEqual(['list shop']);
  });

  it('refuses a ticket of its own clock that has run out, and one of another agent', async () => {
    const { clock, list, remove, node } = bench();
    const { ticket } = await list();
    clock.ms += 9_999;
    expect(await remove(ticket, { volume: 'shop_cache' })).toEqual({ removed: true });
    clock.ms += 1;
    await expect(remove(ticket)).rejects.toMatchObject({ code: 'node/ticket' });
    const restarted = new VolumeDoor({ node: 'n1', backend: node });
    await expect(restarted.removeVolume({ ticket, stack: 'shop', volume: 'shop_data', epoch: 7 }, open)).rejects.toMatchObject({
      code: 'node/ticket',
    });
    expect(node.volumes.has('shop_data')).toBe(true);
  });

  it('checks ticket and epoch when the turn comes, not when the call comes', async () => {
    const { clock, node, list, remove } = bench();
    const { ticket } = await list();
    let release = () => {};
    node.gate = new Promise((resolve) => {
      release = resolve;
    });
    const blocking = list(7, 'blog');
    await vi.waitFor(() => expect(node.calls).toContain('list blog'));
    const waiting = remove(ticket).catch((error: { code: string }) => error.code);
    clock.ms += 10_000;
    release();
    await blocking;
    expect(await waiting).toBe('node/ticket');
    expect(node.calls).toEqual(['list shop', 'list blog']);
  });

  it('refuses a waiting removal once a higher epoch was seen', async () => {
    const { node, list, remove } = bench();
    const { ticket } = await list();
    let release = () => {};
    node.gate = new Promise((resolve) => {
      release = resolve;
    });
    const blocking = list(7, 'blog');
    await vi.waitFor(() => expect(node.calls).toContain('list blog'));
    const waiting = remove(ticket).catch((error: { code: string }) => error.code);
    const successor = list(9);
    release();
    await Promise.all([blocking, successor]);
    expect(await waiting).toBe('node/stale-epoch');
    expect(node.volumes.has('shop_data')).toBe(true);
  });

  it('begins nothing for a caller that gave up while waiting', async () => {
    const { node, list, remove } = bench();
    const { ticket } = await list();
    let release = () => {};
    node.gate = new Promise((resolve) => {
      release = resolve;
    });
    const blocking = list(7, 'blog');
    await vi.waitFor(() => expect(node.calls).toContain('list blog'));
    const caller = new AbortController();
    const waiting = remove(ticket, {}, caller.signal).catch((error: { code: string }) => error.code);
    caller.abort();
    expect(await waiting).toBe('cancelled');
    release();
    await blocking;
    await list();
    expect(node.calls).toEqual(['list shop', 'list blog', 'list shop']);
  });

  it('goes on after a call that failed', async () => {
    const { node, list, remove } = bench();
    const { ticket } = await list();
    const data = node.volumes.get('shop_data');
    if (data) data.used = true;
    await expect(remove(ticket)).rejects.toMatchObject({ code: 'swarm/in-use' });
    expect(await remove(ticket, { volume: 'shop_cache' })).toEqual({ removed: true });
  });

  it('holds a bounded number of tickets, and has room again when they ran out', async () => {
    const { clock, list } = bench();
    for (let count = 0; count < 1_000; count++) await list();
    await expect(list()).rejects.toMatchObject({ code: 'node/ticket' });
    clock.ms += 10_000;
    await expect(list()).resolves.toBeDefined();
  });
});

describe('a node in memory', () => {
  nodeBackendContract(async () => {
    const backend = new MemoryNode();
    return {
      backend,
      stackName: (short) => short,
      createVolume: async (short, stack) => {
        const name = `${stack ?? ''}_${short}`;
        backend.add(name, stack);
        return name;
      },
      use: async (volume) => {
        backend.volumes.set(volume, { stack: 'shop', used: true });
      },
      existing: async () => [...backend.volumes.keys()],
      [Symbol.asyncDispose]: async () => undefined,
    };
  });
});
