/** JSON with integers beyond 2^53 as bigints. */
export function parseExact(text: string): unknown {
  // The third argument (the number as written) is in ES2025 and in this Node, not yet in the library types.
  const reviver = (_key: string, value: unknown, context: { source?: string } = {}): unknown => {
    const exact = typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source ?? '');
    return exact ? value : BigInt(context.source ?? '');
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}
