import { DiscardPolicy, type StoredMsg } from '@nats-io/jetstream';
import type { NatsStream, OneSubjectConfig, PublishOptions } from './nats-stream.ts';

export type BucketLimits = Omit<OneSubjectConfig, 'name' | 'subjects'>;

/**
 * How a key-value bucket is laid out as a stream, so that every NATS tool reads it as one (NATS ADR-8). Without its roll-ups: by
 * one header, who may write a single key could empty the bucket.
 */
export function bucketConfig(bucket: string, limits: BucketLimits): OneSubjectConfig {
  return {
    name: `KV_${bucket}`,
    subjects: [`$KV.${bucket}.>`],
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    allow_rollup_hdrs: false,
    allow_direct: true,
    deny_delete: true,
    ...limits,
  };
}

/** The subject of an encoded key. */
export function keySubject(bucket: NatsStream, key: string): string {
  return `${bucket.filter.slice(0, -1)}${key}`;
}

/** Writes the marker that says a key is gone. Gives its sequence. */
export function removeKey(bucket: NatsStream, key: string, options: Pick<PublishOptions, 'over'> = {}): Promise<number> {
  return bucket.publish(keySubject(bucket, key), new Uint8Array(), { headers: { 'KV-Operation': 'DEL' }, ...options });
}

export function isDeletion(message: StoredMsg): boolean {
  return ['DEL', 'PURGE'].includes(message.header?.get('KV-Operation') ?? '');
}

/** Application names may hold dots side by side or at the end, which subjects may not: such dots, and `=`, become `=` and two hex digits. */
export function encodeKey(key: string): string {
  return key.replace(/\.(?=\.|$)|[^-_a-zA-Z0-9.]/g, (character) => `=${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

export function decodeKey(bucket: NatsStream, subject: string): string {
  const key = subject.slice(bucket.filter.length - 1);
  return key.replace(/=([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
