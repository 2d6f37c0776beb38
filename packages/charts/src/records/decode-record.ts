import { gunzipSync } from 'node:zlib';
import { labels } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import { decode, GoMap, type GoValue, keyText, toPlain } from '@hivekeep/goyaml';
import type { RecordedChart, ReleaseRecord } from './release-record.ts';

/** A small config may unpack to anything: no payload of ours comes near this. */
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;

/** Whether a config is a record: by its type label, and only when no stack has it among its own. */
export function isRecord(configLabels: Readonly<Record<string, string>>): boolean {
  return configLabels[labels.record.type] === 'release' && configLabels[labels.stack] === undefined;
}

/**
 * Reads a record; keys it does not know are passed over. Throws `record/invalid`, which concerns this revision alone: the config
 * is kept and shown. `name` is the config's, for the message.
 */
export function decodeRecord({ name, data }: { readonly name: string; readonly data: Uint8Array }): ReleaseRecord {
  try {
    const payload = decode(gunzipSync(data, { maxOutputLength: MAX_PAYLOAD_BYTES }), { file: name, limits: { bytes: MAX_PAYLOAD_BYTES } });
    if (!(payload instanceof GoMap)) throw new HivekeepError('record/invalid', 'the payload is no mapping');
    return readPayload(payload);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unreadable';
    throw new HivekeepError('record/invalid', `the record ${name} can't be read: ${reason}`, { cause });
  }
}

/** The format as a store of records takes it. */
export const recordCodec = { isRecord, decode: (data: Uint8Array): ReleaseRecord => decodeRecord({ name: 'config', data }) };

function readPayload(payload: GoMap): ReleaseRecord {
  const release = text(payload, 'release') ?? '';
  const revision = payload.get('revision');
  if (release === '') throw new HivekeepError('record/invalid', 'it names no release');
  if (typeof revision !== 'bigint' || revision < 1n || revision > BigInt(Number.MAX_SAFE_INTEGER))
    throw new HivekeepError('record/invalid', 'its revision is no number from 1 on');
  const [owner, commit] = [text(payload, 'owner'), text(payload, 'commit')];
  const [managedNetworks, files] = [readNetworks(payload), readFiles(payload)];
  return {
    release,
    revision: Number(revision),
    status: text(payload, 'status') ?? '',
    chart: readChart(payload),
    values: plainMapping(payload, 'values'),
    manifest: text(payload, 'manifest') ?? '',
    created: text(payload, 'created') ?? '',
    namespace: text(payload, 'namespace') ?? release,
    ...(managedNetworks.length > 0 && { managedNetworks }),
    ...(owner && { owner }),
    ...(Object.keys(files).length > 0 && { files }),
    ...(commit && { commit }),
  };
}

function readChart(payload: GoMap): RecordedChart {
  const chart = mapping(payload, 'chart');
  const [appVersion, repo, repoURL] = ['appVersion', 'repo', 'repoURL'].map((key) => text(chart, key));
  return {
    name: text(chart, 'name') ?? '',
    version: text(chart, 'version') ?? '',
    ...(appVersion && { appVersion }),
    ...(repo && { repo }),
    ...(repoURL && { repoURL }),
  };
}

function readNetworks(payload: GoMap): string[] {
  const list = payload.get('managedNetworks') ?? [];
  if (!Array.isArray(list)) throw new HivekeepError('record/invalid', 'managedNetworks is no list');
  return list.map((item) => scalarText(item, 'managedNetworks'));
}

function readFiles(payload: GoMap): Record<string, string> {
  const files: Record<string, string> = Object.create(null);
  for (const [key, value] of mapping(payload, 'files')) {
    const content = scalarText(value, 'files').replace(/[\r\n]/g, '');
    if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content))
      throw new HivekeepError('record/invalid', `the file ${keyText(key)} is no base64`);
    files[keyText(key)] = content;
  }
  return files;
}

function plainMapping(payload: GoMap, key: string): Record<string, unknown> {
  return toPlain(mapping(payload, key)) as Record<string, unknown>; // a map becomes an object
}

function mapping(payload: GoMap, key: string): GoMap {
  const value = payload.get(key) ?? new GoMap();
  if (!(value instanceof GoMap)) throw new HivekeepError('record/invalid', `${key} is no mapping`);
  return value;
}

function text(payload: GoMap, key: string): string | undefined {
  const value = payload.get(key);
  return value === undefined || value === null ? undefined : scalarText(value, key);
}

function scalarText(value: GoValue, key: string): string {
  if (value === null || Array.isArray(value) || value instanceof GoMap)
    throw new HivekeepError('record/invalid', `${key} holds what is no text`);
  return keyText(value);
}
