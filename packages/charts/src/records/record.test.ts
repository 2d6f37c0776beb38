import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { HivekeepError } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import {
  decodeRecord,
  displayStatus,
  encodePayload,
  encodeRecord,
  isRecord,
  MAX_RECORD_BYTES,
  nextRevision,
  type ReleaseRecord,
  sameManifest,
  sameValues,
} from '../index.ts';

/** Written by a Go program with the family's struct, gopkg.in/yaml.v3 3.0.1 and compress/gzip. */
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
const record: ReleaseRecord = {
  release: 'shop',
  revision: 2,
  status: 'deployed',
  chart: { name: 'compose', version: '0.0.0' },
  values: {},
  manifest: 'services:\n  web:\n    image: nginx\n',
  created: '2026-01-02T03:04:05Z',
  owner: 'cd/default/shop:release/shop',
  commit: 'a'.repeat(40),
};
const pack = (text: string) => ({ name: 'swarmcli.release.x.v1', data: gzipSync(text) });
const refusal = (run: () => unknown): HivekeepError => {
  try {
    run();
  } catch (error) {
    if (error instanceof HivekeepError) return error;
  }
  throw new Error('was accepted');
};

describe('a record written by the Go engine', () => {
  const decoded = decodeRecord({ name: 'swarmcli.release.shop.v7', data: fixture('record-from-go.yaml.gz') });

  it('is read', () => {
    expect(decoded).toMatchObject({
      release: 'shop',
      revision: 7,
      chart: { name: 'web', version: '1.2.3', appVersion: '1.27', repo: 'charts', repoURL: 'https://charts.example' },
      values: { replicas: 3, ratio: 0.5, big: 12345678901234567890n, image: { tag: '1.27', pull: 'yes' }, none: [] },
      managedNetworks: ['edge', 'mesh'],
      owner: 'cd/default/shop:release/shop',
    });
    expect(Buffer.from(decoded.files?.['files/site.conf'] ?? '', 'base64').toString()).toBe('server {\n  listen 80;\n}\n');
  });

  it('is written back byte by byte', () => {
    expect(encodePayload(decoded)).toBe(fixture('record-from-go.yaml').toString('utf8'));
  });
});

describe('a record of ours', () => {
  const encoded = encodeRecord(record);

  it('has the name and labels of the format', () => {
    expect(encoded.name).toBe('swarmcli.release.shop.v2');
    expect(encoded.labels).toEqual({
      'com.swarmcli.type': 'release',
      'com.swarmcli.release': 'shop',
      'com.swarmcli.chart': 'compose',
      'com.swarmcli.chart.version': '0.0.0',
      'com.swarmcli.revision': '2',
      'com.swarmcli.status': 'deployed',
      'com.swarmcli.created': '2026-01-02T03:04:05Z',
      'swarmcli.created': '2026-01-02T03:04:05Z',
      'com.swarmcli.owner': 'cd/default/shop:release/shop',
    });
    expect(encodeRecord({ ...record, owner: '' }).labels).not.toHaveProperty('com.swarmcli.owner');
  });

  it('keeps the order of the format, the commit last', () => {
    const keys = gunzipSync(encoded.data)
      .toString()
      .match(/^[a-z]\w*(?=:)/gim);
    expect(keys).toEqual(['release', 'revision', 'status', 'chart', 'values', 'manifest', 'created', 'namespace', 'owner', 'commit']);
  });

  it('is read as it was, and written as equal bytes', () => {
    expect(decodeRecord(encoded)).toEqual({ ...record, namespace: 'shop' });
    expect(Buffer.compare(encodeRecord({ ...record }).data, encoded.data)).toBe(0);
    expect([...encoded.data.slice(4, 10)]).toEqual([0, 0, 0, 0, 2, 255]);
  });

  it('is refused when too large, naming what is largest', () => {
    const noise = Buffer.from(Array.from({ length: MAX_RECORD_BYTES }, (_, i) => Math.abs(Math.sin(i) * 1e9)));
    const error = refusal(() => encodeRecord({ ...record, files: { 'files/big': noise.toString('base64'), 'files/small': 'aGk=' } }));
    expect(error.code).toBe('record/too-large');
    expect(error.message).toMatch(/file files\/big 512000 bytes, manifest 34 bytes/);
  });
});

describe('an unreadable record costs itself alone', () => {
  it.each<[string, { name: string; data: Uint8Array }, RegExp]>([
    ['no gzip', { name: 'swarmcli.release.x.v1', data: Buffer.from('hello') }, /swarmcli\.release\.x\.v1 can't be read/],
    ['no mapping', pack('- a'), /no mapping/],
    ['no YAML', pack('a: [1'), /swarmcli\.release\.x\.v1:2:1: did not find expected/],
    ['no release', pack('revision: 1'), /names no release/],
    ['revision 0', pack('release: x\nrevision: 0'), /revision/],
    ['a revision that is text', pack('release: x\nrevision: "1"'), /revision/],
    ['values that are a list', pack('release: x\nrevision: 1\nvalues: [1]'), /values is no mapping/],
    ['networks that are no list', pack('release: x\nrevision: 1\nmanagedNetworks: edge'), /managedNetworks is no list/],
    ['a release that is a list', pack('release: [x]\nrevision: 1'), /release holds what is no text/],
    ['a file that is no base64', pack('release: x\nrevision: 1\nfiles: {a.conf: "%%"}'), /the file a\.conf is no base64/],
    ['a bomb', { name: 'bomb', data: gzipSync(Buffer.alloc(64 * 1024 * 1024)) }, /bomb can't be read/],
  ])('%s', (_name, config, message) => {
    expect(refusal(() => decodeRecord(config))).toMatchObject({ code: 'record/invalid', message: expect.stringMatching(message) });
  });

  it('unknown keys are passed over', () => {
    expect(decodeRecord(pack('release: x\nrevision: 1\nfuture: [1]\n__proto__: {a: 1}'))).toMatchObject({ release: 'x', values: {} });
  });
});

it('a record is known by its label and by having no stack', () => {
  expect(isRecord({ 'com.swarmcli.type': 'release' })).toBe(true);
  expect(isRecord({ 'com.swarmcli.type': 'release', 'com.docker.stack.namespace': 'x' })).toBe(false);
  expect(isRecord({ 'com.swarmcli.type': 'release', 'com.docker.stack.namespace': '' })).toBe(false);
  expect(isRecord({ 'com.hivekeep.type': 'intent' })).toBe(false);
});

it('numbers go on from records and intents', () => {
  expect(nextRevision([])).toBe(1);
  expect(nextRevision([{ revision: 2 }, { revision: 1 }])).toBe(3);
  expect(nextRevision([{ revision: 2 }], [{ revision: 5 }])).toBe(6);
});

it('an older deployed revision is shown as superseded', () => {
  expect(displayStatus({ revision: 1, status: 'deployed' }, 2)).toBe('superseded');
  expect(displayStatus({ revision: 2, status: 'deployed' }, 2)).toBe('deployed');
  expect(displayStatus({ revision: 1, status: 'failed' }, 2)).toBe('failed');
});

it.each<[string, string, boolean]>([
  ['a: 1\nb: [x]', 'b:\n  - x\na: 1 # same', true],
  ['a: 1.0', 'a: 1', true],
  ['mode: 0444', 'mode: 292', true],
  ['a: "1"', 'a: 1', false],
  ['a: ~', '{}', false],
  ['{a: 1}', '{a: 1, b: 2}', false],
  ['a: !!binary /+8=', '{"a": !!binary "/+8="}', true],
  ['a: !!binary /+8=', 'a: !!binary /+4=', false],
  ['a: [x, y]', 'a: [y, x]', false],
  ['a: 9007199254740993', 'a: 9007199254740992', false],
  ['a: 2020-01-01', 'a: 2020-01-01T00:00:00Z', true],
  ['a: [', 'a: [ ', false],
  ['a: [', 'a: [', true],
])('manifests %j and %j are the same: %s', (a, b, same) => expect(sameManifest(a, b)).toBe(same));

it('values are compared as YAML keeps them', () => {
  expect(sameValues(undefined, {})).toBe(true);
  expect(sameValues({ a: 1, b: { c: [1n] } }, { b: { c: [1] }, a: 1 })).toBe(true);
  expect(sameValues({ a: 12345678901234567890n }, { a: 12345678901234567891n })).toBe(false);
  expect(sameValues({ a: undefined }, {})).toBe(true);
  expect(sameValues({ a: null }, {})).toBe(false);
});
