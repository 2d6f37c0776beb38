import { createHash, randomBytes } from 'node:crypto';
import type { Event, Presence, StoredEvent } from '@hivekeep/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServiceBus, ViewChange } from './bus.ts';
import { EVENT_LIMIT, PRESENCE_TTL_MS, type TestTransport, transports } from './testing/transports.ts';

const soon = { timeout: 15_000, interval: 20 };

describe.each(transports)('stores over %s', (_name, open) => {
  let transport: TestTransport;
  let writer: ServiceBus;
  let reader: ServiceBus;
  beforeEach(async () => {
    transport = await open();
    [writer, reader] = await Promise.all([transport.connect('writer'), transport.connect('reader')]);
  });
  afterEach(() => transport[Symbol.asyncDispose]());

  const publish = async (...names: string[]) => {
    const ids: string[] = [];
    for (const name of names) ids.push(await writer.events.publish(event(name)));
    return ids;
  };
  const subscribe = async (after?: string) => {
    const heard: StoredEvent[] = [];
    const { close } = await reader.events
      .subscribe(after, (stored) => heard.push(stored))
      .then((subscription) => ({ close: () => subscription.close() }));
    return { heard, close };
  };

  describe('events', () => {
    it('delivers what comes and nothing older, with the ids publishers got', async () => {
      await publish('old');
      const { heard } = await subscribe();
      const ids = await publish('a', 'b', 'c');
      await vi.waitFor(() => expect(names(heard)).toEqual(['a', 'b', 'c']), soon);
      expect(heard.map(({ id }) => id)).toEqual(ids);
    });

    it('replays what came after an id, then goes on', async () => {
      const [first = ''] = await publish('a', 'b', 'c');
      const { heard } = await subscribe(first);
      await publish('d');
      await vi.waitFor(() => expect(names(heard)).toEqual(['b', 'c', 'd']), soon);
    });

    it('starts an unknown id with a reset, then gives all there is', async () => {
      await publish('a', 'b');
      for (const after of ['0a0b-7', 'nonsense', '']) {
        const { heard, close } = await subscribe(after);
        await vi.waitFor(() => expect(names(heard)).toEqual(['RESET', 'a', 'b']), soon);
        await close();
      }
    });

    it('resets when the sequence was trimmed, and an id of the reset can be resumed from', async () => {
      const [first = ''] = await publish(...Array.from({ length: EVENT_LIMIT + 10 }, (_, at) => `e${at}`));
      const { heard } = await subscribe(first);
      await vi.waitFor(() => expect(heard).toHaveLength(EVENT_LIMIT + 1), soon);
      expect(names(heard).slice(0, 2)).toEqual(['RESET', 'e10']);
      const again = await subscribe(heard[0]?.id);
      await vi.waitFor(() => expect(names(again.heard).slice(0, 1)).toEqual(['e10']), soon);
    });

    it('resets a subscriber when the log is made anew under it, and publishes on', async () => {
      const [before = ''] = await publish('a');
      const { heard } = await subscribe();
      await transport.loseStore();
      const id = await vi.waitFor(() => writer.events.publish(event('b')), soon);
      await vi.waitFor(() => expect(names(heard)).toEqual(['RESET', 'b']), soon);
      expect(id.split('-')[0]).not.toBe(before.split('-')[0]);
      const late = await subscribe(before);
      await vi.waitFor(() => expect(names(late.heard)).toEqual(['RESET', 'b']), soon);
    });

    it('delivers nothing after the subscription is closed', async () => {
      const { heard, close } = await subscribe();
      await publish('a');
      await vi.waitFor(() => expect(heard).toHaveLength(1), soon);
      await close();
      await publish('b');
      const other = await subscribe(heard[0]?.id);
      await vi.waitFor(() => expect(names(other.heard)).toEqual(['b']), soon);
      expect(heard).toHaveLength(1);
    });
  });

  it('names the present log, which is in the ids of its events', async () => {
    const log = await reader.events.logId();
    const [id = ''] = await publish('a');
    expect(id.startsWith(`${log}-`)).toBe(true);
  });

  describe('views', () => {
    it('names the keys of one swarm', async () => {
      for (const key of ['east.swarm', 'east.application.a..b', 'east-2.swarm']) await writer.views.put(key, 1);
      expect((await reader.views.keys('east')).sort()).toEqual(['east.application.a..b', 'east.swarm']);
    });

    const watch = async () => {
      const log: string[] = [];
      const subscription = await reader.views.watch(
        ({ key, value }: ViewChange) => log.push(value === undefined ? `-${key}` : `${key}=${JSON.stringify(value)}`),
        () => log.push('ready'),
      );
      return { log, close: () => subscription.close() };
    };

    it('delivers every key, then ready, then each change', async () => {
      await writer.views.put('east.application.shop', { state: 1 });
      await writer.views.put('east.application.shop', { state: 2, gone: undefined });
      await writer.views.put('east.application.left', {});
      expect(await writer.views.get('east.application.shop')).toEqual({ state: 2 });
      await writer.views.remove('east.application.left');
      for (const key of ['east.application.left', 'east.application.never']) expect(await writer.views.get(key)).toBeUndefined();
      const { log } = await watch();
      await vi.waitFor(() => expect(log).toEqual(['east.application.shop={"state":2}', 'ready']), soon);
      await writer.views.put('east.swarm', ['x']);
      await writer.views.remove('east.application.shop');
      await vi.waitFor(() => expect(log.slice(2)).toEqual(['east.swarm=["x"]', '-east.application.shop']), soon);
    });

    it('is put and removed over what another has put or removed', async () => {
      for (const bus of [writer, reader, writer]) await bus.views.put('east.swarm', bus === reader ? 'theirs' : 'ours');
      expect(await reader.views.get('east.swarm')).toBe('ours');
      await reader.views.remove('east.swarm');
      expect(await writer.views.get('east.swarm')).toBeUndefined();
      await writer.views.put('east.swarm', 'again');
      await reader.views.remove('east.swarm');
      await writer.views.put('east.swarm', 'at last');
      expect(await reader.views.get('east.swarm')).toBe('at last');
    });

    it('is ready without a key, and after being closed it is silent', async () => {
      const { log, close } = await watch();
      await vi.waitFor(() => expect(log).toEqual(['ready']), soon);
      await close();
      await writer.views.put('east.swarm', 1);
      const other = await watch();
      await vi.waitFor(() => expect(other.log).toEqual(['east.swarm=1', 'ready']), soon);
      expect(log).toEqual(['ready']);
    });

    it.each(['east.application.a..b', 'east.application.a.', 'east.application.a=2e_-', 'east.application.a.b-c'])(
      'keeps the key %s',
      async (key) => {
        await writer.views.put(key, 1);
        const { log } = await watch();
        await vi.waitFor(() => expect(log).toEqual([`${key}=1`, 'ready']), soon);
        await writer.views.remove(key);
        await vi.waitFor(() => expect(log.at(-1)).toBe(`-${key}`), soon);
      },
    );

    it('holds a large view', async () => {
      const value = { manifest: 'services: web: image: registry/app:1\n'.repeat(60_000) };
      await writer.views.put('east.swarm', value);
      const { log } = await watch();
      await vi.waitFor(() => expect(log).toEqual([`east.swarm=${JSON.stringify(value)}`, 'ready']), soon);
    });

    it('tells of a lost store by deletions and a new store id', async () => {
      await writer.views.put('east.swarm', 1);
      await writer.views.put('west.swarm', 1);
      const before = await writer.views.storeId();
      expect(await reader.views.storeId()).toBe(before);
      const { log } = await watch();
      await vi.waitFor(() => expect(log).toContain('ready'), soon);
      await transport.loseStore();
      await vi.waitFor(async () => expect(await writer.views.storeId()).not.toBe(before), soon);
      await vi.waitFor(() => expect(log.slice(3)).toEqual(['-east.swarm', '-west.swarm']), soon);
      await vi.waitFor(() => writer.views.put('east.swarm', 2), soon);
      await vi.waitFor(() => expect(log.slice(5)).toEqual(['east.swarm=2']), soon);
    });
  });

  describe('artifacts', () => {
    it('carries 8 MB that do not compress, and a second put changes nothing', async () => {
      const bytes = randomBytes(8 * 1024 * 1024);
      await writer.artifacts.put(digestOf(bytes), bytes);
      await writer.artifacts.put(digestOf(bytes), bytes);
      const read = await reader.artifacts.get(digestOf(bytes));
      expect(read && Buffer.compare(bytes, read)).toBe(0);
    });

    it('has none that was never put or was lost, and takes it again', async () => {
      const bytes = Buffer.from('{}');
      expect(await reader.artifacts.get(digestOf(bytes))).toBeUndefined();
      await writer.artifacts.put(digestOf(bytes), bytes);
      await transport.loseStore();
      await vi.waitFor(async () => expect(await reader.artifacts.get(digestOf(bytes))).toBeUndefined(), soon);
      await vi.waitFor(() => writer.artifacts.put(digestOf(bytes), bytes), soon);
      expect(Buffer.from((await reader.artifacts.get(digestOf(bytes))) ?? []).toString()).toBe('{}');
    });

    it('refuses bytes that the digest does not name, and too many', async () => {
      await expect(writer.artifacts.put(digestOf(Buffer.from('a')), Buffer.from('b'))).rejects.toMatchObject({ code: 'artifact/missing' });
      const large = Buffer.alloc(65 * 1024 * 1024);
      await expect(writer.artifacts.put(digestOf(large), large)).rejects.toMatchObject({ code: 'artifact/too-large' });
    });
  });

  describe('presence', () => {
    const record = (instance: string, more: Partial<Presence> = {}): Presence => ({
      service: 'node-agent',
      instance,
      version: '1',
      swarm: 'east',
      at: '',
      ...more,
    });
    const instances = async () => (await reader.presence.list()).map(({ instance }) => instance).sort();

    it('lists who is there, renews the record, and drops who says good-bye', async () => {
      let active = false;
      const leave = await writer.presence.announce(() => record('a', { active, node: { id: 'n1', hostname: 'one' } }));
      await writer.presence.announce(() => record('b'));
      expect(await instances()).toEqual(['a', 'b']);
      active = true;
      await vi.waitFor(
        async () => expect(await reader.presence.list()).toContainEqual(record('a', { active: true, node: { id: 'n1', hostname: 'one' } })),
        soon,
      );
      await leave();
      expect(await instances()).toEqual(['b']);
    });

    it.each([undefined, 'east'])('misses nobody who renews meanwhile: swarm %s', async (swarm) => {
      const all = ['a', 'b', 'c', 'd', 'e'];
      const announced = await Promise.all(all.map((instance) => writer.presence.announce(() => record(instance))));
      let over = false;
      const renewing = announced.map(async ({ renew }) => {
        while (!over) await renew();
      });
      try {
        for (let time = 0; time < 30; time += 1)
          expect((await reader.presence.list(swarm)).map(({ instance }) => instance).sort(), `list ${time}`).toEqual(all);
      } finally {
        over = true;
        await Promise.all(renewing);
      }
    });

    it('lists one swarm alone', async () => {
      await writer.presence.announce(() => record('a'));
      await writer.presence.announce(() => record('b', { swarm: 'east-2' }));
      await writer.presence.announce(() => ({ service: 'gateway', instance: 'c', version: '1', at: '' }));
      expect((await reader.presence.list('east')).map(({ instance }) => instance)).toEqual(['a']);
      expect(await reader.presence.list('nowhere')).toEqual([]);
    });

    it('tells a changed record at once when asked to', async () => {
      let active = false;
      const announced = await writer.presence.announce(() => record('a', { active }));
      active = true;
      await announced.renew();
      expect(await reader.presence.list()).toContainEqual(record('a', { active: true }));
    });

    it('keeps who renews and forgets who is gone without a word', async () => {
      const quitter = await transport.connect('quitter');
      await quitter.presence.announce(() => record('gone'));
      await writer.presence.announce(() => record('stays'));
      expect(await instances()).toEqual(['gone', 'stays']);
      await quitter.close();
      await vi.waitFor(async () => expect(await instances()).toEqual(['stays']), { timeout: PRESENCE_TTL_MS * 4, interval: 50 });
    });

    it('is there again after the store was lost', async () => {
      await writer.presence.announce(() => record('a'));
      await transport.loseStore();
      await vi.waitFor(async () => expect(await instances()).toEqual(['a']), soon);
    });
  });
});

function event(application: string): Event {
  return { application, swarm: 'east', type: 'sync-started', at: '2026-01-01T00:00:00Z' };
}

function names(heard: readonly StoredEvent[]): string[] {
  return heard.map((stored) => ('reset' in stored ? 'RESET' : stored.event.application));
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
