/** `HOST:PORT`, `[IPv6]:PORT` or `:PORT` taken apart; an empty host listens everywhere. */
export function parseAddress(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}
