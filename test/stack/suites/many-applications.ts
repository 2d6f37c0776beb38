import { setTimeout as sleep } from 'node:timers/promises';
import type { View } from '@hivekeep/contracts';
import { eventually, type LabNode } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import { type Installation, NATS_NODE } from '../support/installation.ts';
import { metric, metricsOf, OWN_SERVICES } from '../support/metrics.ts';
import { containersOf } from '../support/observe.ts';
import { replicated } from '../support/stacks.ts';

const COUNT = 500;
const TOUCHED = 20;
const CLIENTS = 50;
const DONE_MS = 10_000;
const LIST_P95_MS = 50;
const LISTING_MS = 20_000;
const LOAD_MS = 600_000;
const COMMIT_EVERY_MS = 10_000;
const MEMORY_GROWTH_MIB = 64;

const names = Array.from({ length: COUNT }, (_, index) => `many${String(index + 1).padStart(3, '0')}`);
const files = (of: readonly string[], text: string) => Object.fromEntries(of.map((name) => [`${name}.yaml`, replicated(0, text)]));
const touchedAt = (turn: number) => Array.from({ length: TOUCHED }, (_, index) => names[(turn * TOUCHED + index) % COUNT] ?? '');

/** Five hundred applications without tasks. What was measured is printed. */
export function manyApplications(hive: () => Installation): void {
  test('all are deployed, and every source has rendered each', { timeout: 480_000 }, async () => {
    const commit = await hive().declare(['shop', ...names], { 'shop.yaml': replicated(1), ...files(names, 'turn 0') });
    await eventually(() => allAre(hive(), names, commit), { timeoutMs: 300_000, intervalMs: 2_000 });
    await eventually(async () => (await renders(hive())).every((count) => count >= COUNT), { timeoutMs: 120_000, intervalMs: 2_000 });
  });

  test('a commit that touches 20 renders and writes those alone, within 10 s', async () => {
    const before = { renders: sum(await renders(hive())), versions: await versions(hive()) };
    const touched = touchedAt(0);
    const started = performance.now();
    const commit = await hive().declare(['shop', ...names], files(touched, 'turn 1'));
    await eventually(() => allAre(hive(), touched, commit), { timeoutMs: 120_000, intervalMs: 100 });
    const took = performance.now() - started;
    await eventually(() => allAre(hive(), names, commit), { timeoutMs: 60_000, intervalMs: 500 });
    const after = { renders: sum(await renders(hive())), versions: await versions(hive()) };
    tell({ 'commit of 20, ms': Math.round(took), rendered: after.renders - before.renders });
    const written = names.filter((name) => after.versions.get(name) !== before.versions.get(name));
    expect(written).toEqual(touched);
    expect(after.renders - before.renders).toBeLessThanOrEqual(2 * TOUCHED); // two sources
    expect(took).toBeLessThan(DONE_MS);
  });

  test('50 clients get the list within 50 ms', async () => {
    const times = await listing(hive(), LISTING_MS);
    const p95 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.POSITIVE_INFINITY;
    tell({ 'list of 500, requests': times.length, 'p50, ms': Math.round(times[times.length >> 1] ?? 0), 'p95, ms': Math.round(p95) });
    expect(p95).toBeLessThan(LIST_P95_MS);
  });

  test('ten minutes of it do not make a service grow', { timeout: LOAD_MS + 180_000 }, async () => {
    const before = await memory(hive());
    const until = performance.now() + LOAD_MS;
    const lists = listing(hive(), LOAD_MS);
    let commit = '';
    for (let turn = 2; performance.now() < until; turn += 1) {
      commit = await hive().declare(['shop', ...names], files(touchedAt(turn), `turn ${turn}`));
      await sleep(COMMIT_EVERY_MS);
    }
    await lists;
    await eventually(() => allAre(hive(), names, commit), { timeoutMs: 60_000, intervalMs: 500 });
    const after = await memory(hive());
    for (const service of OWN_SERVICES) tell({ service, 'MiB before': before[service], 'MiB after': after[service] });
    for (const service of OWN_SERVICES) expect(after[service], service).toBeLessThan((before[service] ?? 0) + MEMORY_GROWTH_MIB);
  });
}

function tell(figures: Record<string, unknown>): void {
  process.stdout.write(`measured: ${JSON.stringify(figures)}\n`);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Throws unless each is deployed at this commit. */
async function allAre({ get }: Installation, wanted: readonly string[], commit: string): Promise<void> {
  const { applications } = await get<{ applications: View[] }>('/applications');
  const done = new Set(
    applications.filter(({ status: { sync } }) => sync.state === 'synced' && sync.revision === commit).map(({ spec }) => spec.name),
  );
  const late = wanted.filter((name) => !done.has(name));
  if (late.length > 0) throw new Error(`${late.length} are not at ${commit}: ${late.slice(0, 5).join(', ')} …`);
}

/** How much each source has rendered. */
async function renders(hive: Installation): Promise<number[]> {
  return (await metricsOf(hive, 'source')).map((text) => metric(text, 'hivekeep_renders_total'));
}

/** The version index of each application's service, which every write moves. */
async function versions({ lab }: Installation): Promise<Map<string, number>> {
  const services = await lab.node(1).docker.listServices();
  return new Map(services.map(({ Spec, Version }) => [(Spec?.Name ?? '').replace(/_web$/, ''), Version?.Index ?? 0]));
}

/** The largest task of each service, in MiB. */
async function memory(hive: Installation): Promise<Record<string, number>> {
  const of = async (service: string) => {
    const texts = await metricsOf(hive, service);
    return [service, Math.round(Math.max(...texts.map((text) => metric(text, 'process_resident_memory_bytes'))) / 2 ** 20)] as const;
  };
  return { ...Object.fromEntries(await Promise.all(OWN_SERVICES.map(of))), nats: await natsMemory(hive) };
}

async function natsMemory({ docker, lab }: Installation): Promise<number> {
  const node = lab.node(NATS_NODE);
  const [server = ''] = await containersOf(node, 'nats');
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(await docker(node, 'exec', server, 'cat', '/proc/1/status')) ?? [];
  return Math.round(Number(kib) / 2 ** 10);
}

async function gatewayNodes({ lab }: Installation): Promise<LabNode[]> {
  const running = await Promise.all(lab.nodes.map((node) => containersOf(node, 'gateway')));
  return lab.nodes.filter((_, index) => running[index]?.length);
}

/** Milliseconds of each list that 50 clients asked for, one a second each, over connections they keep. */
async function listing(hive: Installation, forMs: number): Promise<number[]> {
  const until = performance.now() + forMs;
  const times: number[] = [];
  const nodes = await gatewayNodes(hive);
  const client = async (index: number): Promise<void> => {
    using connection = hive.keptOpen(nodes[index % nodes.length] as LabNode);
    await sleep((1_000 * index) / CLIENTS);
    while (performance.now() < until) {
      const started = performance.now();
      await connection.get('/applications');
      const took = performance.now() - started;
      times.push(took);
      await sleep(Math.max(0, 1_000 - took));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  return times;
}
