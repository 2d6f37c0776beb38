/** A version as golang.org/x/mod/semver reads it: a `v` in front does not count, `1` and `1.0` stand for `1.0.0`. */
interface ChartVersion {
  readonly numbers: readonly [string, string, string];
  readonly prerelease: string;
}

const number = '(0|[1-9][0-9]*)';
const syntax = new RegExp(`^v?${number}(?:\\.${number}(?:\\.${number}(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?)?)?$`);

function read(text: string): ChartVersion | undefined {
  const match = syntax.exec(text);
  if (!match) return undefined;
  const [, major = '', minor = '0', patch = '0', prerelease = '', build = ''] = match;
  const parts = prerelease.slice(1).split('.');
  if (prerelease !== '' && parts.some((part) => part === '' || /^0[0-9]+$/.test(part))) return undefined;
  if (build !== '' && build.slice(1).split('.').includes('')) return undefined;
  return { numbers: [major, minor, patch], prerelease: prerelease.slice(1) };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** Of digits without zeros in front. */
const compareNumbers = (a: string, b: string): number => Math.sign(a.length - b.length) || compareText(a, b);

/** No prerelease comes after every one; numbers come before words, fewer parts before more. */
function comparePrereleases(a: string, b: string): number {
  if (a === b) return 0;
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (part === other) continue;
    const [isNumber, otherIsNumber] = [/^[0-9]+$/.test(part), /^[0-9]+$/.test(other)];
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    return isNumber ? compareNumbers(part, other) : compareText(part, other);
  }
  return -1;
}

/** The order of chart versions: -1, 0 or 1. Where one of the two is no version, the order of their UTF-8 bytes. */
export function compareChartVersions(a: string, b: string): number {
  const [left, right] = [read(a), read(b)];
  if (!left || !right) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const differing = left.numbers.findIndex((digits, index) => digits !== right.numbers[index]);
  if (differing >= 0) return compareNumbers(left.numbers[differing] ?? '', right.numbers[differing] ?? '');
  return comparePrereleases(left.prerelease, right.prerelease);
}
