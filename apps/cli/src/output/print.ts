export type Format = 'table' | 'json' | 'yaml';

/** Writes an answer to stdout: the API's object, or what `table` makes of it. */
export async function print(format: Format, raw: unknown, table: () => string): Promise<void> {
  if (format === 'json') process.stdout.write(`${JSON.stringify(raw, null, 2)}\n`);
  else if (format === 'yaml') process.stdout.write((await import('yaml')).stringify(raw, { lineWidth: 0 }));
  else process.stdout.write(table());
}
