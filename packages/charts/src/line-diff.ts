/** Cells of the comparison's table: two texts of 2,000 lines. Beyond it the differing middle is shown as a whole. */
const MAX_CELLS = 4_000_000;

/**
 * Both texts line by line, each line with two characters before it: `- ` only before, `+ ` only after, two spaces in both. Nothing is
 * left out; of equally good answers deletions come first. Line breaks at the end do not count. Source: the family's diff format.
 */
export function lineDiff(before: string, after: string): string[] {
  const [left, right] = [toLines(before), toLines(after)];
  const start = commonStart(left, right);
  const head = left.slice(0, start).map((line) => `  ${line}`);
  return [...head, ...diffMiddle(left.slice(start), right.slice(start))];
}

function toLines(text: string): string[] {
  const trimmed = text.replace(/\n+$/, '');
  return trimmed === '' ? [] : trimmed.split('\n');
}

function commonStart(left: readonly string[], right: readonly string[]): number {
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count++;
  return count;
}

function diffMiddle(left: readonly string[], right: readonly string[]): string[] {
  if (fits(left, right)) return diffExactly(left, right);
  const end = commonStart(left.toReversed(), right.toReversed());
  const [a, b] = [left.slice(0, left.length - end), right.slice(0, right.length - end)];
  const middle = fits(a, b) ? diffExactly(a, b) : [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  return [...middle, ...left.slice(left.length - end).map((line) => `  ${line}`)];
}

function fits(left: readonly string[], right: readonly string[]): boolean {
  return (left.length + 1) * (right.length + 1) <= MAX_CELLS;
}

function diffExactly(left: readonly string[], right: readonly string[]): string[] {
  const width = right.length + 1;
  const common = commonLengths(left, right);
  const at = (i: number, j: number) => common[i * width + j] as number;
  const out: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      out.push(`  ${left[i++]}`);
      j++;
    } else if (i < left.length && (j === right.length || at(i + 1, j) >= at(i, j + 1))) out.push(`- ${left[i++]}`);
    else out.push(`+ ${right[j++]}`);
  }
  return out;
}

/** For each pair of places how many lines the rests have in common, in order. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint32Array {
  const width = right.length + 1;
  const table = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    const [row, below] = [i * width, (i + 1) * width];
    for (let j = right.length - 1; j >= 0; j--) {
      const longest = Math.max(table[below + j] as number, table[row + j + 1] as number);
      table[row + j] = left[i] === right[j] ? (table[below + j + 1] as number) + 1 : longest;
    }
  }
  return table;
}
