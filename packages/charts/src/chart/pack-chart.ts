import { gzipSync } from 'node:zlib';
import { HivekeepError } from '@hivekeep/contracts';
import type { Chart } from './chart.ts';
import { CHART_LIMITS } from './chart-limits.ts';
import { writeTar } from './write-tar.ts';

/** The byte of a gzip header that says on which system it was made; 255 is "unknown". Source: RFC 1952, 2.3.1. */
const GZIP_SYSTEM = { offset: 9, unknown: 255 };

/**
 * A chart as an archive that repositories publish, everything below a folder of its name: equal charts give equal bytes. Throws
 * `source/too-large` when no repository could send it.
 */
export function packChart(chart: Chart): { readonly fileName: string; readonly bytes: Uint8Array } {
  const { name, version } = chart.metadata;
  const bytes = gzipSync(writeTar([...membersOf(chart)].map(([path, content]) => ({ name: `${name}/${path}`, content }))), { level: 9 });
  bytes[GZIP_SYSTEM.offset] = GZIP_SYSTEM.unknown;
  if (bytes.byteLength > CHART_LIMITS.archiveBytes)
    throw new HivekeepError(
      'source/too-large',
      `${name} packs into ${bytes.byteLength} bytes; an archive has at most ${CHART_LIMITS.archiveBytes}`,
    );
  return { fileName: `${name}-${version}.tgz`, bytes };
}

function* membersOf(chart: Chart): Generator<[path: string, content: Uint8Array]> {
  yield ['Chart.yaml', chart.rawMetadata];
  if (chart.rawValues) yield ['values.yaml', chart.rawValues];
  if (chart.schema) yield ['values.schema.json', chart.schema];
  if (chart.requirements) yield ['requirements.yaml', chart.requirements];
  if (chart.readme) yield ['README.md', chart.readme];
  yield* chart.templates;
  yield* chart.files ?? [];
}
