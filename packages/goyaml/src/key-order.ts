import { GoBytes, type GoKey, GoTime, keyText } from './values.ts';

/** Go's `reflect.Kind` numbers decide between keys of different types. */
function kindOf(key: GoKey): number {
  if (key === null) return 20;
  if (key instanceof GoTime) return 25;
  if (key instanceof GoBytes) return 24;
  switch (typeof key) {
    case 'boolean':
      return 1;
    case 'bigint':
      return key > 2n ** 63n - 1n ? 11 : 2;
    case 'number':
      return 14;
    default:
      return 24;
  }
}

function numberOf(key: GoKey): number | undefined {
  if (typeof key === 'bigint' || typeof key === 'boolean') return Number(key);
  return typeof key === 'number' ? key : undefined;
}

/** The order in which yaml.v3 writes the keys of a map: numbers by value, strings as people count. Source: sorter.go. */
export function compareKeys(a: GoKey, b: GoKey): number {
  const [left, right] = [numberOf(a), numberOf(b)];
  if (left !== undefined && right !== undefined && left !== right) return left < right ? -1 : 1;
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (isText(a) && isText(b)) return compareNaturally(keyText(a), keyText(b));
  return kindOf(a) - kindOf(b);
}

const isText = (key: GoKey): key is string | GoBytes => typeof key === 'string' || key instanceof GoBytes;
const isLetter = (char: string) => /^\p{L}$/u.test(char);
const isDigit = (char: string | undefined) => char !== undefined && /^\p{Nd}$/u.test(char);

/** `a2` before `a10`, upper case before lower, what is no letter before letters. */
export function compareNaturally(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  let afterDigit = false;
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [x, y] = [left[i] as string, right[i] as string];
    if (x === y) {
      afterDigit = isDigit(x);
      continue;
    }
    const [xLetter, yLetter] = [isLetter(x), isLetter(y)];
    if (xLetter && yLetter) return codeOf(x) - codeOf(y);
    if (xLetter || yLetter) return xLetter === afterDigit ? -1 : 1;
    return compareDigitRuns(left, right, i) || codeOf(x) - codeOf(y);
  }
  return left.length - right.length;
}

function compareDigitRuns(left: readonly string[], right: readonly string[], at: number): number {
  const significant = (left[at] === '0' || right[at] === '0') && hasSignificantDigitBefore(left, at);
  const [x, y] = [digitRun(left, at, significant), digitRun(right, at, significant)];
  if (x.value !== y.value) return x.value < y.value ? -1 : 1;
  return x.length - y.length;
}

function hasSignificantDigitBefore(chars: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(chars[i]); i--) if (chars[i] !== '0') return true;
  return false;
}

/** The number that starts here, in 64 bits like Go's; a preceding significant digit counts as a leading 1. */
function digitRun(chars: readonly string[], at: number, significant: boolean): { value: bigint; length: number } {
  let value = significant ? 1n : 0n;
  let end = at;
  for (; isDigit(chars[end]); end++) value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(chars[end] as string) - 48));
  return { value, length: end - at };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
