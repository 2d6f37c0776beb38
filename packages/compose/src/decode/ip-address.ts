/** Whether a text is an IPv4 or IPv6 address (no zone, no leading zeros), as Go's `net.ParseIP` reads it. */
export function isIpAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split('::');
  if (!text.includes(':') || halves.length > 2) return false;
  const [head = '', tail] = halves;
  const groups = [...groupsOf(head), ...groupsOf(tail ?? '')];
  const last = groups.at(-1) ?? '';
  const embedded = last.includes('.');
  if (embedded && !isIpv4(last)) return false;
  const plain = embedded ? groups.slice(0, -1) : groups;
  if (!plain.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = plain.length + (embedded ? 2 : 0);
  return tail === undefined ? count === 8 : count < 8;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
