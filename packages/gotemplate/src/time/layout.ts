/** The parts of a Go time layout, by how the reference time (Mon Jan 2 15:04:05 MST 2006) writes them. */
export type LayoutPart =
  | { readonly type: 'literal'; readonly text: string }
  | { readonly type: 'fraction'; readonly digits: number; readonly separator: string; readonly trim: boolean; readonly text: string }
  | { readonly type: 'element'; readonly text: string };

/** Longer ones first. */
const elements = [
  ...['January', 'Jan', 'Monday', 'Mon', 'MST', '002', '01', '02', '03', '04', '05', '06', '15', '1', '2006', '2', '_2', '__2'],
  ...['3', '4', '5', 'PM', 'pm', '-070000', '-07:00:00', '-0700', '-07:00', '-07'],
  ...['Z070000', 'Z07:00:00', 'Z0700', 'Z07:00', 'Z07'],
].sort((a, b) => b.length - a.length);

const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9';
const isLower = (char: string | undefined) => char !== undefined && char >= 'a' && char <= 'z';

function elementAt(layout: string, at: number): LayoutPart | undefined {
  const text = elements.find((element) => layout.startsWith(element, at));
  if (text === undefined) return fractionAt(layout, at);
  if ((text === 'Jan' || text === 'Mon') && isLower(layout[at + 3])) return undefined;
  if (text === '_2' && layout.startsWith('2006', at + 1)) return undefined; // a literal _ before a year
  return { type: 'element', text };
}

/** `.000`, `,999`: fractions of a second, when no other digit follows. */
function fractionAt(layout: string, at: number): LayoutPart | undefined {
  const separator = layout[at] ?? '';
  const digit = layout[at + 1] ?? '';
  if ((separator !== '.' && separator !== ',') || (digit !== '0' && digit !== '9')) return undefined;
  let end = at + 1;
  while (layout[end] === digit) end++;
  if (isDigit(layout[end])) return undefined;
  return { type: 'fraction', digits: end - at - 1, separator, trim: digit === '9', text: layout.slice(at, end) };
}

export function layoutParts(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let literal = '';
  for (let at = 0; at < layout.length; ) {
    const part = elementAt(layout, at);
    if (part === undefined) {
      literal += layout[at++];
      continue;
    }
    if (literal !== '') parts.push({ type: 'literal', text: literal });
    literal = '';
    parts.push(part);
    at += part.text.length;
  }
  if (literal !== '') parts.push({ type: 'literal', text: literal });
  return parts;
}
