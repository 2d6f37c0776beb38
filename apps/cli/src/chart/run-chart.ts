import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Chart, digestOf, ENGINE_LEVEL, judgeCompat, layerValues, lintChart, packChart, renderRelease } from '@hivekeep/charts';
import { HivekeepError } from '@hivekeep/contracts';
import { encode, toPlain } from '@hivekeep/goyaml';
import { renderEnvironment } from '@hivekeep/render-environment';
import { EXIT } from '../exit-status.ts';
import { Exit, issueLine } from '../failure.ts';
import { type Format, print } from '../output/print.ts';
import { loadChart } from './load-chart.ts';
import { readValuesFlags, type ValuesFlags } from './values-flags.ts';

export type ChartPart = 'chart' | 'values' | 'schema' | 'requirements' | 'readme';

/** Prints the manifest alone; what is odd goes to stderr. Throws `chart/invalid` with every problem. */
export async function template(path: string, flags: ValuesFlags & { readonly release?: string }): Promise<void> {
  const chart = await loadChart(path);
  warnOfEngine(chart);
  const values = layerValues(chart.values, await readValuesFlags(flags));
  const rendered = renderRelease({ chart, release: flags.release ?? chart.metadata.name, values, environment: renderEnvironment() });
  if (rendered.volatile) process.stderr.write('warning: the chart renders differently each time; it is deployed once for each commit\n');
  process.stdout.write(rendered.manifest);
}

/** Prints every problem with its place; exit 1 when one is an error. */
export async function lint(path: string, flags: ValuesFlags & { readonly forVersion?: string; readonly output: Format }): Promise<void> {
  const chart = await loadChart(path);
  const values = await readValuesFlags(flags);
  const report = lintChart({ chart, values, environment: renderEnvironment(), engine: flags.forVersion ?? ENGINE_LEVEL });
  await print(flags.output, report, () =>
    [
      ...report.errors.map((issue) => `error: ${issueLine(issue)}\n`),
      ...report.warnings.map((issue) => `warning: ${issueLine(issue)}\n`),
      `${chart.metadata.name} ${chart.metadata.version}: ${report.errors.length} errors, ${report.warnings.length} warnings\n`,
    ].join(''),
  );
  if (report.errors.length > 0) throw new Exit(EXIT.differs);
}

/** Prints a member of the chart byte by byte; nothing where it has none. */
export async function show(path: string, part: ChartPart): Promise<void> {
  const chart = await loadChart(path);
  const { rawMetadata, rawValues, schema, requirements, readme } = chart;
  const parts: Record<ChartPart, Uint8Array | undefined> = { chart: rawMetadata, values: rawValues, schema, requirements, readme };
  process.stdout.write(parts[part] ?? '');
}

/** Prints the values that templates would see, all layers merged. */
export async function values(path: string, flags: ValuesFlags & { readonly output: Format }): Promise<void> {
  const chart = await loadChart(path);
  const merged = layerValues(chart.values, await readValuesFlags(flags));
  if (flags.output === 'json') await print('json', toPlain(merged), () => '');
  else process.stdout.write(encode(merged, { indent: 2 }));
}

/** Writes NAME-VERSION.tgz into a folder and prints its path and the digest that an index publishes. */
export async function packageChart(path: string, { out }: { readonly out: string }): Promise<void> {
  const { fileName, bytes } = packChart(await loadChart(path));
  const file = join(out, fileName);
  try {
    await writeFile(file, bytes);
  } catch (cause) {
    throw new HivekeepError('usage/invalid', `'${file}' cannot be written: ${(cause as Error).message}`, { cause });
  }
  process.stdout.write(`${file} sha256:${digestOf(bytes)}\n`);
}

function warnOfEngine({ metadata }: Chart): void {
  const compat = judgeCompat(metadata.swarmcliVersion, ENGINE_LEVEL);
  if (compat.status === 'incompatible')
    process.stderr.write(`warning: the chart asks for an engine ${compat.required}; this one is at ${compat.engine}\n`);
  else if (compat.status === 'unknown' && compat.reason) process.stderr.write(`note: ${compat.reason}\n`);
}
