import { labels as keys } from '@hivekeep/application';
import { decodeRecord, encodeRecord } from '@hivekeep/charts';
import type { ConfigSpec, Labels, ServiceSpec } from '@hivekeep/compose';
import { appStateLabels } from '@hivekeep/swarm';
import { expect } from 'vitest';
import type { Content } from './repository.ts';
import {
  changes,
  content,
  declare,
  deployed,
  holder,
  isLease,
  LOAD,
  MINUTE,
  names,
  records,
  trace,
  until,
  volumes,
  world,
} from './scene.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { type Change, stackOf } from './simulated-swarm.ts';

trace('each phase of a sweep proves its lease before it deletes', async () => {
  await deployed(['shop', 'blog']);
  const seen = changes();
  let asked = -1;
  let volumeGone = -1;
  whenAsked(() => {
    if (volumeGone < 0) asked = seen.length;
  });
  for (const node of world.nodes) {
    const { onVolumeRemoved } = node;
    node.onVolumeRemoved = (...removal) => {
      if (volumeGone < 0) volumeGone = seen.length;
      onVolumeRemoved(...removal);
    };
  }
  declare(['blog']);
  await world.time.pass(3 * MINUTE);
  const begun = (phase: string) => seen.findIndex(({ after }) => markOfShop(after)?.begun && markOfShop(after)?.phase === phase);
  const gone = (name: string) => seen.findIndex(({ before, after }) => !after && before?.Spec.Name === name);
  const proves = (from: number, to: number) => from >= 0 && seen.slice(from, to).some(isLease);
  expect([
    proves(begun('stack'), gone('shop_web')),
    proves(asked, volumeGone),
    proves(begun('records'), gone('swarmcli.release.shop.v1')),
  ]).toEqual([true, true, true]);
});

trace('a volume that a declared application mounts stays, though its service is gone', async () => {
  await deployed(['shop', 'blog'], { reconcileIntervalMs: 60 * MINUTE });
  const mounting: Content = { version: 1, volume: false, replicas: 0, mounts: 'shop_data' };
  declare(['blog', 'idle', 'shop'], new Map([...world.repository.head.files, ['idle', mounting]]));
  await world.time.pass(MINUTE);
  const idle = world.swarm.objects('services').find(({ Spec }) => Spec.Name === 'idle_web');
  if (!idle) throw new Error('idle does not run');
  declare(['blog', 'idle']);
  await world.time.pass(LOAD); // what is seen of the commit brings back what is missing
  world.swarm.removeByHand('services', 'idle_web');
  await world.time.pass(4 * MINUTE);
  expect([names('services', 'idle'), names('services', 'shop'), volumes('shop').length]).toEqual([[], [], 3]);
  world.swarm.createByHand('services', idle.Spec);
});

trace('a record stored by hand while its volumes wait makes them wait the whole time again', async () => {
  await deployed(['shop', 'blog'], { pruneVolumesAfterMs: 2 * MINUTE });
  declare(['blog']);
  await world.time.pass(1.5 * MINUTE);
  expect(names('services', 'shop')).toEqual([]);
  storeByHand('swarmcli.release.shop.v1', 2);
  await world.time.pass(1.5 * MINUTE);
  expect(volumes('shop')).toHaveLength(3);
  await world.time.pass(2 * MINUTE);
  expect(volumes('shop')).toEqual([]);
});

trace("a volume that a person's own service mounts stays, though no task of it runs", async () => {
  await deployed(['shop', 'blog']);
  world.swarm.createByHand('services', {
    Name: 'backup',
    Labels: {},
    Mode: { Replicated: { Replicas: 0 } },
    TaskTemplate: { ContainerSpec: { Image: 'backup:1', Mounts: [{ Type: 'volume', Source: 'shop_data', Target: '/from' }] } },
  } as ServiceSpec);
  declare(['blog']);
  await world.time.pass(3 * MINUTE);
  expect([names('services', 'shop'), volumes('shop').length]).toEqual([[], 3]);
  world.swarm.removeByHand('services', 'backup');
});

trace('what is declared again while the agents are asked keeps its volumes', async () => {
  await deployed(['shop', 'blog'], { appSetIntervalMs: MINUTE });
  const disks = () => world.nodes.map((node) => node.volumes.get('shop_data'));
  const before = disks();
  let asked = false;
  whenAsked(() => {
    asked = true;
    declare(['shop', 'blog']);
  });
  declare(['blog']);
  await world.time.pass(5 * MINUTE);
  // Volumes that were deleted have been made anew by now.
  expect([asked, disks().every((disk, index) => disk === before[index])]).toEqual([true, true]);
});

trace('a mark that its former holder has under way begins nothing that is declared again by now', async () => {
  await deployed(['shop', 'blog']);
  const before = world.swarm.objects('services').map(({ ID }) => ID);
  const former = holder();
  let underWay = false;
  world.intercept = ({ body }, by) => {
    const mark = body instanceof Object && 'Labels' in body ? appStateLabels.read(body.Labels as Labels).sweep?.shop : undefined;
    if (underWay || by !== former || !mark?.begun) return undefined;
    underWay = true;
    former.crash();
    return LOAD + 10_000;
  };
  declare(['blog']);
  await until(() => underWay);
  await until(() => world.active !== undefined);
  await world.time.pass(1_000);
  declare(['shop', 'blog']);
  await world.time.pass(2 * MINUTE);
  expect(world.swarm.objects('services').map(({ ID }) => ID)).toEqual(before);
});

trace('what is declared again while its stack goes is installed when that has ended, and stays', async () => {
  await deployed(['shop', 'blog'], { appSetIntervalMs: 1_000 });
  const [network] = world.swarm.objects('networks').filter((one) => stackOf(one) === 'shop');
  const seen = changes();
  let hung = false;
  world.intercept = ({ method, path }) => {
    if (hung || method !== 'DELETE' || path !== `/networks/${network?.ID}`) return undefined;
    hung = true;
    declare(['shop', 'blog']);
    return 4_000;
  };
  declare(['blog']);
  await world.time.pass(2 * MINUTE);
  const removed = seen.filter(({ kind, before, after }) => kind === 'services' && !after && before?.Spec.Name === 'shop_web');
  expect([hung, removed.length, names('services', 'shop')]).toEqual([true, 1, ['shop_web']]);
});

trace('a volume removal that is not answered lands before what is declared again is installed', async () => {
  await deployed(['shop', 'blog'], { appSetIntervalMs: 1_000 });
  const [slow] = world.nodes;
  if (!slow) throw new Error('no node');
  let hung = false;
  let removedAt = Number.NaN;
  slow.fate = ({ method }) => {
    if (hung || method !== 'DELETE') return 'pass';
    hung = true;
    declare(['shop', 'blog'], new Map([...world.repository.head.files, ['shop', { ...content, replicas: 0 }]]));
    return 8_000;
  };
  const { onVolumeRemoved } = slow;
  slow.onVolumeRemoved = (...removal) => {
    removedAt = world.time.now;
    onVolumeRemoved(...removal);
  };
  const seen = changes();
  declare(['blog']);
  await world.time.pass(2 * MINUTE);
  const installed = seen.find(({ before, after }) => !before && after?.Spec.Name === 'shop_web');
  expect(removedAt).toBeLessThan(installed?.at ?? Number.NaN);
});

trace('a config that lands when its release has long been swept goes, and what a person put beside it stays', async () => {
  await deployed(['shop', 'blog']);
  let hung = false;
  world.intercept = ({ path, body }) => {
    if (hung || path !== '/configs/create' || !(body as ConfigSpec).Name.startsWith('shop_conf-')) return undefined;
    hung = true;
    declare(['blog']);
    return 3 * MINUTE;
  };
  declare(['shop', 'blog'], new Map([...world.repository.head.files, ['shop', { ...content, version: 2 }]]));
  await until(() => hung && records('shop').length === 0);
  world.swarm.createByHand('configs', { Name: 'shop_by-hand', Labels: { [keys.stack]: 'shop' } });
  await until(() => names('configs', 'shop').length === 2);
  await world.time.pass(2 * MINUTE);
  expect(names('configs', 'shop')).toEqual(['shop_by-hand']);
  world.swarm.removeByHand('configs', 'shop_by-hand');
});

for (const begun of [false, true])
  trace(`a node that nobody saw comes back when the records were ${begun ? 'about' : 'next'} to go, and their holder crashed`, async () => {
    await deployed(['shop', 'blog']);
    const unseen = runsUnseen('shop');
    declare(['blog']);
    let crashed = false;
    world.intercept = ({ body }, by) => {
      const mark = body instanceof Object && 'Labels' in body ? appStateLabels.read(body.Labels as Labels).sweep?.shop : undefined;
      if (crashed || mark?.phase !== 'records' || mark.begun !== begun) return undefined;
      crashed = true;
      by.crash();
      world.addNode(unseen.volumes);
      return 'pass';
    };
    await world.time.pass(4 * MINUTE);
    expect([crashed, volumes('shop'), records('shop')]).toEqual([true, [], []]);
  });

function markOfShop(state: Change['after']) {
  return appStateLabels.read(state?.Spec.Labels ?? {}).sweep?.shop;
}

/** Runs whenever an agent is asked for a stack's volumes, before it answers. */
function whenAsked(run: () => void): void {
  const door = world.nodes[0]?.agent?.door;
  if (!door) throw new Error('no agent');
  const answer = door.stackVolumes.bind(door);
  door.stackVolumes = (request) => {
    run();
    return answer(request);
  };
}

/** Stores a record again as a later revision, as another tool does. */
function storeByHand(name: string, revision: number): void {
  const found = world.swarm.objects('configs').find(({ Spec }) => Spec.Name === name);
  if (!found) throw new Error(`no ${name}`);
  const data = Buffer.from((found.Spec as ConfigSpec).Data ?? '', 'base64');
  const encoded = encodeRecord({ ...decodeRecord({ name, data }), revision });
  const Data = Buffer.from(encoded.data).toString('base64');
  world.swarm.createByHand('configs', { Name: encoded.name, Labels: encoded.labels, Data });
}

/** A node that joins, runs a task of a release and leaves while no reconciler is active: none has it on its list. */
function runsUnseen(release: string): SimulatedNode {
  for (const one of world.reconcilers) one.crash();
  const [first] = world.nodes;
  if (!first) throw new Error('no node');
  const unseen = world.addNode();
  first.state = 'down';
  world.swarm.reschedule();
  expect(volumes(release)).toContain(unseen.id);
  unseen.stopAgent();
  first.state = 'ready';
  Object.assign(unseen, { state: 'down', listed: false });
  world.swarm.reschedule();
  world.swarm.removeNode(unseen);
  for (const index of world.reconcilers.keys()) world.restart(index);
  return unseen;
}
