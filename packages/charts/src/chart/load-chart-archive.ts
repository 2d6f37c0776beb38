import { gunzipSync } from 'node:zlib';
import { cleanPath } from '@hivekeep/application';
import { HivekeepError } from '@hivekeep/contracts';
import type { Chart } from './chart.ts';
import { CHART_LIMITS } from './chart-limits.ts';
import { ChartMembers, isMember } from './chart-members.ts';
import { readTar } from './read-tar.ts';

/** What tar adds to the files: a header and padding for each, folders and links, long names. */
const TAR_OVERHEAD = 16 * 1024 * 1024;

/**
 * Loads a chart from the bytes of a `.tgz`, without writing anything: what is no regular file is skipped, and so is whatever leads out
 * of the chart. Throws `chart/invalid` when it is no such archive, with every problem of every file, and `source/too-large`.
 */
export function loadChartArchive(bytes: Uint8Array, origin: string): Chart {
  const members = new ChartMembers(origin);
  for (const { name, content } of readTar(unpack(bytes, origin), origin)) {
    const path = memberPath(name);
    if (path === undefined) continue;
    members.count(path, content.byteLength);
    if (isMember(path)) members.add(path, Buffer.from(content)); // a copy: a view would keep all of the archive in memory
  }
  return members.chart();
}

function unpack(bytes: Uint8Array, origin: string): Uint8Array {
  if (bytes.byteLength > CHART_LIMITS.archiveBytes)
    throw new HivekeepError(
      'source/too-large',
      `${origin} has ${bytes.byteLength} bytes; an archive has at most ${CHART_LIMITS.archiveBytes}`,
    );
  try {
    return gunzipSync(bytes, { maxOutputLength: CHART_LIMITS.totalBytes + TAR_OVERHEAD });
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new HivekeepError('source/too-large', `${origin} unpacks to more than ${CHART_LIMITS.totalBytes} bytes`, { cause });
    throw new HivekeepError('chart/invalid', `${origin} is no gzip archive; expected a chart packed as .tgz`, { cause });
  }
}

/** A path inside the chart: the first folder is the chart's own, whatever it is called. Undefined for what leads out. */
function memberPath(name: string): string | undefined {
  const clean = cleanPath(name);
  const path = clean.slice(clean.indexOf('/') + 1);
  return path === '' || path.startsWith('..') ? undefined : path;
}
