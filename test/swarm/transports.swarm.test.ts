import { eventually, type LabCorner, labCorner, type NatsServer, natsServer, useLab } from '@hivekeep/testkit';
import { describe, expect, test } from 'vitest';
import type { ApiClient, StreamedEvent } from './support/api-client.ts';
import type { AppRepository } from './support/app-repository.ts';
import { startController } from './support/controller.ts';
import { type Services, startServices } from './support/services.ts';
import { automated, everywhere, NOTHING, SWEEPING, settled, standing } from './support/sweeping.ts';

/** What the scenario needs of the product, however its services are connected. */
interface Product {
  readonly api: ApiClient;
  readonly apps: AppRepository;
}

const lab = () => useLab({ nodes: 3 });

/** Events as they come, for the time of a scope. */
async function following(api: ApiClient, lastEventId?: string): Promise<Disposable & { readonly events: StreamedEvent[] }> {
  const events: StreamedEvent[] = [];
  const end = new AbortController();
  await api.follow(events, end.signal, lastEventId);
  return { events, [Symbol.dispose]: () => end.abort() };
}

async function environmentOf(corner: LabCorner, service: string): Promise<string[]> {
  const { Spec: spec } = await corner.docker.getService(service).inspect();
  return spec.TaskTemplate.ContainerSpec.Env;
}

/** Commits a change of the shop and waits by the command line until it runs. */
async function rollOut(corner: LabCorner, { api, apps }: Product, text: string): Promise<void> {
  const shop = corner.name('shop');
  await apps.commit({ [`${shop}.yaml`]: everywhere(text) });
  expect(await api.cli('app', 'sync', shop, '--wait')).toMatch(/: synced at \w+, healthy \(1\/1 services\)$/m);
  expect(await environmentOf(corner, `${shop}_web`)).toEqual([`TEXT=${text}`]);
}

/** Declared, synced and healthy; changed and synced; told event by event; gone with all its volumes. */
async function wholeLife(corner: LabCorner, product: Product): Promise<void> {
  const { api, apps } = product;
  const [shop, stays] = [corner.name('shop'), corner.name('stays')];
  using live = await following(api);
  const files = { [`${shop}.yaml`]: everywhere('one'), [`${stays}.yaml`]: everywhere('one'), 'page.txt': 'hello' };
  await apps.declare([automated(shop), automated(stays)], files);
  await settled(api, shop);
  await settled(api, stays);
  await rollOut(corner, product, 'two');

  const deployed = (name: string) => live.events.filter(({ type, event }) => type === 'sync-succeeded' && event?.application === name);
  const commits = (name: string) => new Set(deployed(name).map(({ event }) => event?.revision)).size;
  await eventually(() => expect([commits(shop), commits(stays)]).toEqual([2, 1]));
  await replays(api, live.events);
  await apps.declare([automated(stays)]);
  await eventually(async () => expect(await standing(corner, shop)).toEqual(NOTHING), { timeoutMs: 120_000 });
  await eventually(() => expect(live.events.map(({ type }) => type)).toContain('resources-pruned'));
  await eventually(async () => expect((await api.views()).map(({ spec }) => spec.name)).toEqual([stays]));
  expect(await api.view(stays)).toMatchObject({ status: { sync: { state: 'synced' }, health: { state: 'healthy' } } });
}

/** Ids count up in one log; a client that comes back gets exactly what it missed, one with an unknown id a reset first. */
async function replays(api: ApiClient, events: readonly StreamedEvent[]): Promise<void> {
  const [first, ...rest] = [...events];
  const log = first?.id.slice(0, first.id.lastIndexOf('-'));
  const sequence = ({ id }: StreamedEvent) => Number(id.slice(id.lastIndexOf('-') + 1));
  expect(events.every(({ id }) => id.startsWith(`${log}-`))).toBe(true);
  expect(rest.every((event, index) => sequence(event) > sequence(events[index] as StreamedEvent))).toBe(true);
  using again = await following(api, first?.id);
  await eventually(() => expect(again.events.slice(0, rest.length)).toEqual(rest));
  using unknown = await following(api, 'another-log-7');
  await eventually(() => expect(unknown.events[0]?.type).toBe('reset'));
}

describe.concurrent('the whole life of an application', () => {
  test('all services in one process', async () => {
    await using corner = labCorner(await lab());
    await using controller = await startController(corner, { flags: SWEEPING, nodes: corner.lab.nodes.slice(1) });
    await wholeLife(corner, controller);
  });

  test('each service alone over NATS', async () => {
    await using corner = labCorner(await lab());
    await using nats = await natsServer();
    await using services = await startServices(corner, { nats, flags: SWEEPING });
    await wholeLife(corner, services);
  });
});

test('NATS, the gateway or the source goes away and comes back: nothing is lost but what a reset names', async () => {
  await using corner = labCorner(await lab());
  await using nats = await natsServer();
  await using services = await startServices(corner, { nats });
  const { api, apps } = services;
  const shop = corner.name('shop');
  await apps.declare([automated(shop)], { [`${shop}.yaml`]: everywhere('one'), 'page.txt': 'hello' });
  await settled(api, shop);
  using before = await following(api, 'none-0');
  await eventually(() => expect(before.events.length).toBeGreaterThan(0));

  await nats.restart();
  await served(services, shop);
  await rollOut(corner, services, 'two');
  await eventually(() => expect(before.events.filter(({ type }) => type === 'sync-succeeded').length).toBeGreaterThan(0));

  await services.kill('gateway');
  await services.start('gateway');
  await served(services, shop);
  expect((await api.views()).map(({ spec }) => spec.name)).toEqual([shop]);
  await services.kill('source');
  await services.start('source');
  await rollOut(corner, services, 'three');

  await emptied(nats);
  await served(services, shop);
  await settled(api, shop);
  const last = before.events.at(-1)?.id;
  using after = await following(api, last);
  await eventually(() => expect(after.events[0]?.type).toBe('reset'));
  await rollOut(corner, services, 'four');
  await eventually(() => expect(after.events.map(({ type }) => type)).toContain('sync-succeeded'));
});

/** The reconciler answers again, and the gateway knows it: what it remembers of it does not tell so. */
async function served({ api, swarm }: Services, application: string): Promise<void> {
  await eventually(() => api.history(application), { timeoutMs: 90_000 });
  await eventually(async () => (await api.swarm(swarm)).state === 'ok', { timeoutMs: 90_000 });
}

async function emptied(nats: NatsServer): Promise<void> {
  await nats.wipe();
  await nats.start();
}
