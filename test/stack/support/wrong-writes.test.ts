import type { DaemonCall } from '@hivekeep/testkit';
import { describe, expect, it } from 'vitest';
import { wrongWrites } from './wrong-writes.ts';

const names = new Map([
  ['s1', 'load01_web'],
  ['s2', 'leaver_web'],
  ['r1', 'swarmcli.release.load01.v1'],
]);
const call = (at: number, method: string, path: string, body?: object, answer?: object): DaemonCall => ({
  method,
  path,
  query: new URLSearchParams(),
  write: true,
  at,
  body,
  status: 200,
  answer,
});
const written = (at: number, turn: number, epoch = 7) =>
  call(at, 'POST', '/services/s1/update', {
    Name: 'load01_web',
    Labels: { 'com.hivekeep.epoch': String(epoch) },
    TaskTemplate: { ContainerSpec: { Env: [`TEXT=turn ${turn}`] } },
  });
const marked = (at: number) =>
  call(
    at,
    'POST',
    '/configs/create',
    { Name: 'hivekeep.app.x.leaver', Labels: { 'com.hivekeep.state.sweep': '{"leaver":{}}' } },
    { ID: 'm' },
  );
const left = { release: 'leaver', at: 1_000, intervalMs: 5_000 };
const judge = (...writes: DaemonCall[]) => wrongWrites(writes, { names, turn: 3 }, left).map((text) => text.replace(/^.*?: /, ''));

describe('wrongWrites', () => {
  it('takes a service that changes turn by turn, a record that was replaced, and a departure with both signals', () => {
    const record = call(2, 'POST', '/configs/create', { Name: 'swarmcli.release.load01.v2' }, { ID: 'r2' });
    const trimmed = call(3, 'DELETE', '/configs/r1');
    expect(
      judge(
        written(1, 4),
        record,
        trimmed,
        written(4, 6),
        marked(6_000),
        call(6_001, 'DELETE', '/services/s2'),
        call(9_000, 'DELETE', '/configs/m'),
      ),
    ).toEqual([]);
  });

  it.each<[string, DaemonCall[]]>([
    ['turn 3 was written over turn 3', [written(1, 3)]],
    ['turn 4 was written over turn 5', [written(1, 5), written(2, 4)]],
    ['epoch 7 wrote after epoch 8', [written(1, 4, 8), written(2, 5, 7)]],
    ['is none of the load', [call(1, 'POST', '/services/x/update', { Name: 'shop_web' })]],
    ['it was declared', [call(1, 'DELETE', '/services/s1')]],
    ['it was declared', [call(1, 'DELETE', '/configs/r1')]],
    ['nobody knows what it was', [call(1, 'DELETE', '/networks/n1')]],
    ['its sweep was not marked before', [call(9_000, 'DELETE', '/services/s2'), marked(9_001)]],
    ['it had left 4000 ms before, which is no two loads', [marked(4_999), call(5_000, 'DELETE', '/services/s2')]],
  ])('finds: %s', (reason, writes) => expect(judge(...writes)).toEqual([reason]));

  it('takes changes of what leaves until it has left, and what only a later write names', () => {
    const leaver = { ...written(1, 4), path: '/services/s2/update', body: { ...(written(1, 4).body as object), Name: 'leaver_web' } };
    const emptied = call(2, 'POST', '/configs/c9/update', { Name: 'hivekeep.app.x.load01' });
    expect(judge(leaver, emptied, call(3, 'DELETE', '/configs/c9'))).toEqual([]);
  });

  it('lets a write without effect be', () => expect(judge({ ...written(1, 2), status: 500 })).toEqual([]));
});
