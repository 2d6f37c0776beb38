import { BlockList, isIP } from 'node:net';
import { HivekeepError } from '@hivekeep/contracts';

/** What chart repositories may be asked: the operator's, since their addresses come from whoever may write an application. */
export interface ChartUrlPolicy {
  /** Hosts (`name` or `name:port`) that may have private addresses and be asked over plain http. */
  readonly allowedHosts: readonly string[];
}

/** Networks that lead into the operator's own, or nowhere. Source: IANA special-purpose address registries. */
const PRIVATE = {
  ipv4: [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
    ...['192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ],
  ipv6: [
    ...['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001:db8::/32', '2002::/16'],
    ...['fc00::/7', 'fe80::/10', 'ff00::/8'],
  ],
} as const;

/** One list for each family: a list of both takes an IPv4 address for the IPv6 one it maps to. */
const blocked = { ipv4: blockList('ipv4'), ipv6: blockList('ipv6') };

function blockList(family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of PRIVATE[family]) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an address is none of the public internet; what is no address is none either. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return isIP(address) === 0 || blocked[family].check(address, family);
}

export function isAllowedHost({ host, hostname }: URL, policy: ChartUrlPolicy): boolean {
  return policy.allowedHosts.some((allowed) => allowed.toLowerCase() === host || allowed.toLowerCase() === hostname);
}

/**
 * The address of a repository or an archive. Throws `source/refused` for what is no absolute https address, unless the operator allows
 * its host plain http; an address of a private network is refused where its host is not allowed.
 */
export function checkChartUrl(text: string, policy: ChartUrlPolicy): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    const shown = url === undefined ? JSON.stringify(text.slice(0, 200)) : `${url.protocol}//${url.host}`;
    throw new HivekeepError('source/refused', `${shown} is no address of charts; expected https://…`);
  }
  if (isAllowedHost(url, policy)) return url;
  if (url.protocol === 'http:')
    throw new HivekeepError(
      'source/refused',
      `${displayUrl(url)} is not encrypted; use https, or start with --allow-chart-host ${url.host}`,
    );
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && isPrivateAddress(address)) throw privateAddress(url);
  return url;
}

export function privateAddress(url: URL): HivekeepError {
  return new HivekeepError(
    'source/refused',
    `${displayUrl(url)} is in a private network; start with --allow-chart-host ${url.host} to allow it`,
  );
}

/** An address for people and records: without user and password, and without a query, which may be a key. */
export function displayUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
