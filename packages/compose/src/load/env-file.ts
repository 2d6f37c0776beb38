/** One line of an env file; null: a bare name, whose value the caller's environment may have. */
export type EnvLine = readonly [name: string, value: string | null];

const MAX_LINE_BYTES = 65_535;
const LEADING_SPACE = /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/**
 * The lines of an env file in docker's syntax: no quoting, no comments behind values, values as they stand. Gives a message
 * with its line instead when a line cannot be read.
 */
export function parseEnvFile(bytes: Uint8Array): EnvLine[] | { readonly error: string; readonly line: number } {
  const out: EnvLine[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const lines = splitLines(bytes);
  for (const [index, raw] of lines.entries()) {
    const line = index + 1;
    if (raw.length > MAX_LINE_BYTES) return { error: `the line has ${raw.length} bytes, at most ${MAX_LINE_BYTES} are read`, line };
    const text = decode(decoder, raw)?.replace(/\r$/, '');
    if (text === undefined) return { error: 'the line is no UTF-8 text', line };
    const trimmed = (line === 1 ? text.replace(/^\uFEFF/, '') : text).replace(LEADING_SPACE, '');
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const at = trimmed.indexOf('=');
    const name = at < 0 ? trimmed : trimmed.slice(0, at);
    if (name === '') return { error: 'there is no name before the =', line };
    if (/[ \t]/.test(name)) return { error: `the name ${JSON.stringify(name)} contains white space`, line };
    out.push([name, at < 0 ? null : trimmed.slice(at + 1)]);
  }
  return out;
}

/** Lines without their `\n`; nothing follows a final line end. */
function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end;
    lines.push(bytes.subarray(start, stop));
    start = stop + 1;
  }
  return lines;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
