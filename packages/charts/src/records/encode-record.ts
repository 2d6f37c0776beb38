import { gzipSync } from 'node:zlib';
import { labels, recordName } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { encode, fromPlain, GoStruct, type GoValue } from '@hivekeep/goyaml';
import type { RecordConfig, RecordedChart, ReleaseRecord } from './release-record.ts';

/** Gzipped bytes a record may have; swarmkit's own limit for a config is 1,000 KiB. Source: the record format. */
export const MAX_RECORD_BYTES = 512_000;
/** How many of the largest parts a refusal lists. */
const LISTED_PARTS = 10;
/** The byte of a gzip header that says on which system it was made; 255 is "unknown". Source: RFC 1952, 2.3.1. */
const GZIP_SYSTEM = { offset: 9, unknown: 255 };

/**
 * The config that keeps a record: equal records give equal bytes. Throws `record/too-large` over 512,000 bytes gzipped, naming
 * what is largest.
 */
export function encodeRecord(record: ReleaseRecord): RecordConfig {
  const data = gzipSync(encodePayload(record), { level: 9 });
  data[GZIP_SYSTEM.offset] = GZIP_SYSTEM.unknown;
  if (data.byteLength > MAX_RECORD_BYTES) throw tooLarge(record, data.byteLength);
  return { name: recordName(record.release, record.revision), labels: recordLabels(record), data };
}

/** The payload before it is compressed: YAML with an indent of four and its keys in the format's order. */
export function encodePayload(record: ReleaseRecord): string {
  const { managedNetworks = [], files = {} } = record;
  const fields: [string, GoValue | undefined][] = [
    ['release', record.release],
    ['revision', BigInt(record.revision)],
    ['status', record.status],
    ['chart', encodeChart(record.chart)],
    ['values', fromPlain(record.values)],
    ['manifest', record.manifest],
    ['created', record.created],
    ['namespace', record.namespace ?? record.release],
    ['managedNetworks', managedNetworks.length > 0 ? [...managedNetworks] : undefined],
    ['owner', record.owner || undefined],
    ['files', Object.keys(files).length > 0 ? fromPlain(files) : undefined],
    ['commit', record.commit || undefined],
  ];
  return encode(struct(fields), { indent: 4 });
}

function encodeChart(chart: RecordedChart): GoStruct {
  return struct([
    ['name', chart.name],
    ['version', chart.version],
    ['appVersion', chart.appVersion || undefined],
    ['repo', chart.repo || undefined],
    ['repoURL', chart.repoURL?.replace(/\/+$/, '') || undefined],
  ]);
}

function struct(fields: readonly [string, GoValue | undefined][]): GoStruct {
  return new GoStruct(fields.filter((field): field is [string, GoValue] => field[1] !== undefined));
}

function recordLabels(record: ReleaseRecord): Record<string, string> {
  const keys = labels.record;
  return {
    [keys.type]: 'release',
    [keys.release]: record.release,
    [keys.chart]: record.chart.name,
    [keys.chartVersion]: record.chart.version,
    [keys.revision]: String(record.revision),
    [keys.status]: record.status,
    [keys.created]: record.created,
    [keys.helperCreated]: record.created,
    ...(record.owner && { [keys.owner]: record.owner }),
  };
}

function tooLarge(record: ReleaseRecord, size: number): HivekeepError {
  const parts = [
    { part: 'manifest', bytes: Buffer.byteLength(record.manifest) },
    { part: 'values', bytes: Buffer.byteLength(encode(fromPlain(record.values))) },
    ...Object.entries(record.files ?? {}).map(([name, content]) => ({ part: `file ${name}`, bytes: Buffer.byteLength(content, 'base64') })),
  ].toSorted((a, b) => b.bytes - a.bytes);
  const listed = parts.slice(0, LISTED_PARTS).map(({ part, bytes }) => `${part} ${bytes} bytes`);
  const message =
    `the record of release ${record.release} has ${size} bytes compressed, at most ${MAX_RECORD_BYTES} can be stored; ` +
    `make its files smaller: ${listed.join(', ')}${parts.length > listed.length ? ', …' : ''}`;
  return new HivekeepError('record/too-large', message, {
    issues: parts.slice(0, LISTED_PARTS).map(({ part, bytes }) => ({ path: part, message: `${bytes} bytes` })),
  });
}
