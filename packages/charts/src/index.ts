export { recordName } from '@hivekeep/application';
export { lineDiff } from './line-diff.ts';
export { decodeRecord, isRecord, recordCodec } from './records/decode-record.ts';
export { encodePayload, encodeRecord, MAX_RECORD_BYTES } from './records/encode-record.ts';
export { displayStatus, nextRevision, type RecordConfig, type RecordedChart, type ReleaseRecord } from './records/release-record.ts';
export { sameManifest, sameValues } from './records/same-manifest.ts';
