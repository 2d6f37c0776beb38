import { gunzipSync } from 'node:zlib';
import { decodeRecord, encodePayload, encodeRecord, layerValues, type ReleaseRecord } from '@hivekeep/charts';
import { canonicalJson, readArtifact } from '@hivekeep/contracts';
import { GoMap, toPlain } from '@hivekeep/goyaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOracle, hasGo, type Oracle } from '../gotemplate/oracle.ts';

const least: ReleaseRecord = {
  release: 'shop',
  revision: 3,
  status: 'deployed',
  chart: { name: 'web', version: '1.2.3' },
  values: {},
  manifest: 'services:\n  web:\n    image: nginx\n',
  created: '2026-01-02T03:04:05Z',
  namespace: 'shop',
};

/** Values as a render leaves them in an artifact. */
function valuesOf(yaml: string): Record<string, unknown> {
  const values = toPlain(layerValues(new GoMap(), { files: [{ path: 'values.yaml', bytes: Buffer.from(yaml) }] })) as Record<
    string,
    unknown
  >;
  const release = { name: 'shop', wave: 0, chart: { name: 'web', version: '1', ref: './c' }, values, manifest: '', files: {}, secrets: [] };
  return readArtifact(canonicalJson({ format: 'hivekeep.artifact/v1', releases: [release], warnings: [] })).releases[0]?.values ?? {};
}

const records: Readonly<Record<string, ReleaseRecord>> = {
  'the least one': least,
  'all that a record may have': {
    ...least,
    chart: { ...least.chart, appVersion: '1.10', repo: 'main', repoURL: 'https://charts.example/x' },
    managedNetworks: ['edge', 'back'],
    owner: 'cd/default/shop:release/shop',
    files: { 'files/all.bin': Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString('base64'), 'files/a b': '' },
  },
  'values of every kind': {
    ...least,
    values: valuesOf(`int: 3
float: 0.5
whole: 1.0
text: "3"
yes: yes
none: null
list: [1, [x], {}]
map: {b10: 1, b2: 2, B: 3}
lines: "a\\n b\\n"
max: 18446744073709551615
above: 9007199254740993
below: -9223372036854775808
`),
  },
  'texts that YAML must quote': { ...least, manifest: 'a: |\n  x\n\n', created: '2026-01-02', chart: { name: 'yes', version: '1.10' } },
};

describe.runIf(await hasGo())('records (needs Go 1.24)', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await buildOracle();
  }, 300_000);
  afterAll(() => oracle.remove());

  async function rewritten(record: ReleaseRecord): Promise<Uint8Array> {
    const data = Buffer.from(encodeRecord(record).data).toString('base64');
    const [line = '{}'] = await oracle.lines('record', [], `${JSON.stringify({ data })}\n`);
    const { data: again, error } = JSON.parse(line) as { data?: string; error: string };
    expect(error).toBe('');
    return Buffer.from(again ?? '', 'base64');
  }

  it.each(Object.entries(records))('%s: one written here is read there and written again byte by byte', async (_name, record) => {
    expect(gunzipSync(await rewritten({ ...record, commit: 'c'.repeat(40) })).toString()).toBe(encodePayload(record));
  });

  it.each(Object.entries(records))('%s: one written there is read here as it was', async (_name, record) => {
    const name = 'swarmcli.release.shop.v3';
    expect(decodeRecord({ name, data: await rewritten(record) })).toEqual(decodeRecord(encodeRecord(record)));
  });
});
