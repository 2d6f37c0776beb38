import { indexSnapshot } from '@hivekeep/planner';
import type { KnownNode } from '@hivekeep/swarm';
import { expect, it } from 'vitest';
import { aNode } from '../testing/a-node.ts';
import { aWorld } from '../testing/a-world.ts';
import type { KeptRecord, World } from '../world.ts';
import { manyLeft, rememberedNodes } from './remembered-nodes.ts';

const now = new Date('2026-03-01T00:00:00Z');
const since = '2026-01-01T00:00:00Z';
const forgotten = { by: 'kim', at: since };
const world = (listed: string[], more: Partial<World> = {}): World => {
  const nothing = { takenAt: 0, services: [], networks: [], configs: [], secrets: [], tasks: [] };
  return aWorld({ index: indexSnapshot({ ...nothing, nodes: listed.map((id) => aNode(id)) }), ...more });
};
/** The kept records of a release: the oldest is of this revision and time. */
const installed = (created: string, revision = 1): Pick<World, 'records'> => {
  const name = `swarmcli.release.shop.v${revision}`;
  const config = { id: name, name, version: 1, labels: {}, createdAt: 0 };
  const chart = { name: 'compose', version: '0.0.0' };
  const kept: KeptRecord = {
    config,
    record: { release: 'shop', revision, status: 'deployed', chart, values: {}, manifest: '', created, owner: '' },
  };
  return { records: new Map([['shop', [kept]]]) };
};
const remembered = (known: Record<string, KnownNode>, seen: World) => Object.keys(rememberedNodes(known, seen, now)).sort();
const gone = (left: string): Record<string, KnownNode> => ({ b: { hostname: 'host-b', since, left } });

it('takes in what is new, notes when a node has left, and that it is back', () => {
  const first = rememberedNodes({}, world(['a', 'b']), now);
  expect(first).toEqual({ a: { hostname: 'host-a', since: now.toISOString() }, b: { hostname: 'host-b', since: now.toISOString() } });
  const without = rememberedNodes(first, world(['a'], installed(since)), now);
  expect(without.b).toEqual({ ...first.b, left: now.toISOString() });
  expect(rememberedNodes(without, world(['a', 'b']), now)).toEqual(first);
});

it.each<[string, Record<string, KnownNode>, World, string[]]>([
  ['a release older than its leaving', gone('2026-02-01T00:00:00Z'), world([], installed('2026-01-15T00:00:00Z')), ['b']],
  ['one that is as old as clocks may differ', gone('2026-02-01T00:00:00Z'), world([], installed('2026-02-01T00:59:00Z')), ['b']],
  ['a younger release', gone('2026-02-01T00:00:00Z'), world([], installed('2026-02-02T00:00:00Z')), []],
  ['one whose first record is not kept', gone('2026-02-01T00:00:00Z'), world([], installed('2026-02-02T00:00:00Z', 2)), ['b']],
  ['no release', gone('2026-02-01T00:00:00Z'), world([]), []],
  ['a sweep without records that is not over', gone('2026-02-01T00:00:00Z'), world([], { marked: new Set(['blog']) }), ['b']],
  ['a record nobody can read', gone(since), world([], { unreadable: [{ release: 'x', message: '' }] }), ['b']],
  ['nodes given up: gone', { b: { hostname: 'host-b', since, forgotten } }, world([], installed(since)), []],
  ['nodes given up: still listed', { b: { hostname: 'host-b', since, forgotten } }, world(['b'], installed(since)), ['b']],
])('remembers a node that left because of %s', (_, known, seen, ids) => {
  expect(remembered(known, seen)).toEqual(ids);
});

it('keeps what was said of a listed node', () => {
  const known = { b: { hostname: 'host-b', since, forgotten } };
  expect(rememberedNodes(known, world(['b']), now)).toEqual(known);
});

it('warns of many', () => {
  const known = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`n${at}`, { hostname: '', since, left: since }]));
  expect(manyLeft(known)).toContain('500 nodes');
  expect(manyLeft({ ...known, n0: { hostname: '', since } })).toBeUndefined();
});
