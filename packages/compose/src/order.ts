/** Orders texts by their UTF-8 bytes, as Go does; UTF-16 differs where surrogates meet other high characters. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    const surrogates = Number(isSurrogate(left)) - Number(isSurrogate(right));
    return surrogates !== 0 ? surrogates : left - right;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
