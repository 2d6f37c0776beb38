const DECIMAL = /^[-+]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[-+]?\d+(_\d+)*)?$/i;
const HEX = /^([-+]?)0x_?([0-9a-f]*)(?:\.([0-9a-f]*))?p([-+]?\d+)$/i;
const INFINITE = /^([-+]?)inf(inity)?$/i;

/** A number as Go's `strconv.ParseFloat` reads it: underscores between digits, `inf`, `nan`, hexadecimal with `p`. */
export function parseGoFloat(text: string): number | undefined {
  if (DECIMAL.test(text)) {
    const value = Number(text.replaceAll('_', ''));
    return Number.isFinite(value) ? value : undefined;
  }
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const [, sign, whole = '', fraction = '', power = '0'] = HEX.exec(text.replace(/(?<=[0-9a-f])_(?=[0-9a-f])/gi, '')) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const value = Number.parseInt(whole + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}
