/** Columns aligned with two spaces between them; cells are one line. An empty table is its header. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const lines = [header, ...rows.map((row) => row.map((cell) => String(cell).replace(/\s+/g, ' ').trim() || '-'))];
  const widths = header.map((_title, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return `${lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}

/** `KEY  value` lines for one thing; undefined and empty values are left out. */
export function fields(entries: readonly (readonly [string, string | number | undefined])[]): string {
  const shown = entries.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([key]) => key.length));
  return shown.map(([key, value]) => `${key.padEnd(width)}  ${value}\n`).join('');
}

/** The first characters of a commit or digest, for people. */
export const short = (revision: string | undefined): string => (revision ?? '').replace(/^sha256:/, '').slice(0, 10);
