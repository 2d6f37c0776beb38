import type { GoValue } from '@hivekeep/goyaml';

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
/** Go's `ParseFloat` on decimals: `_` may stand between digits. */
const DECIMAL = /^[-+]?(\d(_?\d)*(\.(\d(_?\d)*)?)?|\.\d(_?\d)*)(e[-+]?\d(_?\d)*)?$/i;

/** What a text after `--set key=` means: a bool, a null, an int, a float, else the text itself. `007` is 7, `1.10` is 1.1. */
export function inferScalar(text: string): GoValue {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null' || text === 'nil') return null;
  if (/^[-+]?\d+$/.test(text)) {
    const int = BigInt(text.replace(/^\+/, ''));
    if (int >= INT64.min && int <= INT64.max) return int;
  }
  return inferFloat(text) ?? text;
}

function inferFloat(text: string): number | undefined {
  const infinite = /^([-+]?)inf(inity)?$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  const value = DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
