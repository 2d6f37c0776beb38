import { isIpAddress } from './ip-address.ts';

export interface ShortPort {
  readonly protocol: string;
  readonly target: number;
  readonly published?: number;
}

export interface PortSpec {
  /** Every port the spec stands for, sorted as the docker CLI sorts them; made when it is asked for. */
  readonly ports: readonly ShortPort[];
  readonly count: number;
  /** The address in front; swarm cannot listen on one address alone. */
  readonly address: string;
}

export interface PortRange {
  readonly start: number;
  readonly end: number;
}

const FORM = 'expected [address:][published[-published]:]target[-target][/tcp|udp|sctp]';

/** A short port (`8080:80/udp`, `9000-9003`, `127.0.0.1:80:80`). Source of the syntax: go-connections `nat.ParsePortSpec`. */
export function parsePortSpec(text: string): PortSpec | { readonly error: string } {
  const fail = (reason: string) => ({ error: `${FORM}, found ${JSON.stringify(text)}: ${reason}` });
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const host = parts.length > 1 ? (parts.at(-2) ?? '') : '';
  const address = bareAddress(parts.slice(0, -2).join(':'));
  if (address === undefined) return fail('the address is no IP address');
  const [targetText = '', protocolText = ''] = last.split('/');
  const protocol = (protocolText || 'tcp').toLowerCase();
  if (targetText === '') return fail('no target port');
  const target = parsePortRange(targetText);
  if (!target) return fail(`${JSON.stringify(targetText)} is no port or range from 0 to 65535`);
  const published = host === '' ? undefined : parsePortRange(host);
  if (host !== '' && !published) return fail(`${JSON.stringify(host)} is no port or range from 0 to 65535`);
  if (published && target.end !== target.start && target.end - target.start !== published.end - published.start)
    return fail('the two ranges differ in length');
  if (!['tcp', 'udp', 'sctp'].includes(protocol)) return fail(`${JSON.stringify(protocolText)} is none of tcp, udp, sctp`);
  const longer = target.start === target.end && published ? published : target;
  return {
    get ports() {
      return expand(target, published, protocol);
    },
    count: longer.end - longer.start + 1,
    address,
  };
}

/** `80` or `80-90`. */
export function parsePortRange(text: string): PortRange | undefined {
  const [first = '', second] = text.split('-');
  const start = parsePort(first);
  const end = second === undefined ? start : parsePort(second);
  if (start === undefined || end === undefined || end < start) return undefined;
  return { start, end };
}

function parsePort(text: string): number | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65535 ? port : undefined;
}

function bareAddress(text: string): string | undefined {
  if (text === '') return '';
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  return bare === '' || isIpAddress(bare) ? bare : undefined;
}

function expand(target: PortRange, published: PortRange | undefined, protocol: string): ShortPort[] {
  if (target.start === target.end) {
    if (!published) return [{ protocol, target: target.start }];
    const count = published.end - published.start + 1;
    return Array.from({ length: count }, (_, index) => ({ protocol, target: target.start, published: published.start + index }));
  }
  return Array.from({ length: target.end - target.start + 1 }, (_, index) => ({
    protocol,
    target: target.start + index,
    ...(published && { published: published.start + index }),
  })).sort((a, b) => (String(a.target) < String(b.target) ? -1 : 1));
}
