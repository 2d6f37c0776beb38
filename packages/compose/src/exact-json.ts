/** JSON with two spaces, integers beyond 2^53 exact. */
export function exactJson(value: unknown): string {
  const marked = JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? `${MARK}${member}` : member), 2);
  return marked.replace(MARKED, '$1');
}

/** Cannot stand in JSON text as it is: a control character is always escaped there. */
const MARK = '\u0000bigint:';
const MARKED = /"\\u0000bigint:(-?\d+)"/g;
