import { gzipSync } from 'node:zlib';
import { decodeRecord } from '@hivekeep/charts';
import { fuzz, nearly, yamlWords } from './lib/fuzz.ts';

const words = [
  ...yamlWords,
  'release: a',
  'revision: 1',
  'status: deployed',
  'chart:',
  'name: c',
  'version: 1.0.0',
  'values: {}',
  'manifest: |',
  'created: "2026-01-01T00:00:00Z"',
  'files:',
  'x: aGk=',
];

await fuzz('release record', nearly(words), (text) => decodeRecord({ name: 'swarmcli.release.a.v1', data: gzipSync(Buffer.from(text)) }));
