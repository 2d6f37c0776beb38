import { sourceCalls } from '@hivekeep/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Health } from './health.ts';
import { MemoryBroker, MemoryBus } from './memory/memory-bus.ts';
import { type Monitor, startMonitor } from './monitor.ts';

describe('the monitor of a process', () => {
  let monitor: Monitor;
  beforeEach(async () => {
    monitor = await startMonitor({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => monitor.stop());
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(monitor.url + path, init);
    return [response.status, await response.text()] as const;
  };

  it('is not well before there is a part, and before each was ready once', async () => {
    expect(await get('/healthz')).toEqual([503, 'starting\n']);
    const health = new Health();
    let engine: string | undefined = 'the engine does not answer';
    health.add('ready', 'engine', () => {
      if (engine) throw new Error(engine);
    });
    monitor.watch(health);
    expect(await get('/healthz')).toEqual([503, 'engine: the engine does not answer\n']);
    expect(await get('/readyz')).toEqual([503, 'engine: the engine does not answer\n']);
    engine = undefined;
    expect(await get('/healthz')).toEqual([200, 'ok\n']);
  });

  it('stays well when it is no longer ready: a restart would mend nothing', async () => {
    const health = new Health();
    monitor.watch(health);
    expect(await get('/healthz')).toEqual([200, 'ok\n']);
    health.add('ready', 'bus', () => Promise.reject(new Error('not connected')));
    expect(await get('/readyz')).toEqual([503, 'bus: not connected\n']);
    expect(await get('/healthz')).toEqual([200, 'ok\n']);
    health.add('live', 'loops', () => Promise.reject(new Error('ended')));
    expect(await get('/healthz')).toEqual([503, 'loops: ended\n']);
  });

  it('gives counts and memory as Prometheus reads them', async () => {
    const { call } = new MemoryBus(new MemoryBroker());
    await expect(call(sourceCalls.appSet, { swarm: 'test' }, { home: true })).rejects.toMatchObject({ code: 'bus/no-answer' });
    const [status, text] = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/^# HELP hivekeep_calls_made_total Calls made .*\n# TYPE hivekeep_calls_made_total counter\n/m);
    expect(text).toMatch(/^hivekeep_calls_made_total\{call="[\w.]*app-?[sS]et",outcome="bus\/no-answer"\} \d+$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  it('has nothing else', async () => {
    expect((await get('/'))[0]).toBe(404);
    expect((await get('/metrics', { method: 'POST' }))[0]).toBe(405);
  });
});
