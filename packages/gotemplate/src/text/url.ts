import { CallFailure } from '../failure.ts';
import { percentEncode } from './escape.ts';

/** Go's net/url, as strict as Go 1.26. */
export interface Url {
  readonly scheme: string;
  readonly opaque: string;
  /** Already encoded (`name`, `name:password`); undefined when there is none. */
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

type Mode = 'path' | 'user' | 'host' | 'zone' | 'fragment';

const hostBytes = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;
/** What stands unescaped in each part. */
const kept: Readonly<Record<Mode, RegExp>> = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  user: /[A-Za-z0-9\-_.~$&+,;=]/,
  host: hostBytes,
  zone: hostBytes,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
};

function decodePercent(text: string, mode: Mode): string {
  for (const [written] of text.matchAll(/%.{0,2}/gs)) {
    if (!/^%[0-9a-fA-F]{2}$/.test(written)) throw new CallFailure(`invalid URL escape ${JSON.stringify(written)}`);
    const byte = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    if (mode === 'host' && byte < '\x80' && written !== '%25') throw new CallFailure(`invalid URL escape ${JSON.stringify(written)}`);
    if (mode === 'zone' && written !== '%25' && byte !== ' ' && !hostBytes.test(byte))
      throw new CallFailure(`invalid URL escape ${JSON.stringify(written)}`);
  }
  if (mode === 'host' || mode === 'zone') {
    const wrong = [...text.replace(/%../g, '')].find((char) => char < '\x80' && !hostBytes.test(char));
    if (wrong !== undefined) throw new CallFailure(`invalid character ${JSON.stringify(wrong)} in host name`);
  }
  return text.replace(/%(..)/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** `url.Parse`. Throws `CallFailure`. */
export function parseUrl(text: string): Url {
  const [before, fragment] = cut(text, '#');
  return { ...parseWithoutFragment(before), fragment: decodePercent(fragment, 'fragment') };
}

function parseWithoutFragment(text: string): Omit<Url, 'fragment'> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw new CallFailure('invalid control character in URL');
  const none = { scheme: '', opaque: '', userinfo: undefined, host: '', path: '', query: '' };
  if (text === '*') return { ...none, path: '*' };
  if (text.startsWith(':')) throw new CallFailure('missing protocol scheme');
  const written = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text)?.[1] ?? '';
  const scheme = written.toLowerCase();
  const [hierarchy, query] = cut(written === '' ? text : text.slice(written.length + 1), '?');
  if (!hierarchy.startsWith('/')) {
    if (scheme !== '') return { ...none, scheme, opaque: hierarchy, query };
    if (cut(hierarchy, '/')[0].includes(':')) throw new CallFailure('first path segment in URL cannot contain colon');
  }
  const hasAuthority = hierarchy.startsWith('//') && (scheme !== '' || !hierarchy.startsWith('///'));
  if (!hasAuthority) return { ...none, scheme, query, path: decodePercent(hierarchy, 'path') };
  const slash = hierarchy.indexOf('/', 2);
  const [authority, path] = slash < 0 ? [hierarchy.slice(2), ''] : [hierarchy.slice(2, slash), hierarchy.slice(slash)];
  return { ...none, scheme, query, ...parseAuthority(scheme, authority), path: decodePercent(path, 'path') };
}

function parseAuthority(scheme: string, authority: string): { userinfo: string | undefined; host: string } {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { userinfo: undefined, host };
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new CallFailure('invalid userinfo');
  const [name, password] = cut(userinfo, ':');
  const encode = (part: string) => percentEncode(decodePercent(part, 'user'), kept.user);
  return { userinfo: userinfo.includes(':') ? `${encode(name)}:${encode(password)}` : encode(name), host };
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new CallFailure('invalid IP-literal');
  if (bracket === 0) return parseLiteral(host);
  const first = host.indexOf(':');
  const colon = scheme === 'http' || scheme === 'https' ? first : host.lastIndexOf(':');
  if (colon >= 0 && !isPort(host.slice(colon))) throw new CallFailure(`invalid port ${JSON.stringify(host.slice(colon))} after host`);
  return decodePercent(host, 'host');
}

const isPort = (text: string) => /^(:[0-9]*)?$/.test(text);

/** `[::1]:80`, `[fe80::1%25en0]` */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new CallFailure("missing ']' in host");
  const port = host.slice(close + 1);
  if (!isPort(port)) throw new CallFailure(`invalid port ${JSON.stringify(port)} after host`);
  const name = host.slice(1, close);
  const zone = name.indexOf('%25');
  const address =
    zone < 0 ? decodePercent(name, 'host') : decodePercent(name.slice(0, zone), 'host') + decodePercent(name.slice(zone), 'zone');
  if (!isIpv6(address)) throw new CallFailure('invalid IP-literal');
  return `[${address}]${port}`;
}

function isIpv6(text: string): boolean {
  const [address, zone] = cut(text, '%');
  if (text.includes('%') && zone === '') return false;
  const v4 = /(?:^|:)((?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4})$/.exec(address)?.[1];
  const groups = v4 === undefined ? address : `${address.slice(0, -v4.length)}0:0`;
  const halves = groups.split('::');
  if (halves.length > 2) return false;
  const parts = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return false;
  return halves.length === 2 ? parts.length <= 7 : parts.length === 8;
}

/** The host without its port and brackets. */
export function hostnameOf(host: string): string {
  const colon = host.lastIndexOf(':');
  const name = colon >= 0 && isPort(host.slice(colon)) ? host.slice(0, colon) : host;
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

/** `URL.String`. */
export function formatUrl(url: Url): string {
  let text = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque === '') text += hierarchyOf(url, text);
  else text += url.opaque;
  if (url.query !== '') text += `?${url.query}`;
  return url.fragment === '' ? text : `${text}#${percentEncode(url.fragment, kept.fragment)}`;
}

function hierarchyOf({ scheme, host, userinfo, path }: Url, before: string): string {
  let text = '';
  if ((scheme !== '' && path !== '') || host !== '' || userinfo !== undefined) text += '//';
  if (userinfo !== undefined) text += `${userinfo}@`;
  text += percentEncode(host, kept.host);
  const escaped = path === '*' ? '*' : percentEncode(path, kept.path);
  if (escaped !== '' && !escaped.startsWith('/') && host !== '') text += '/';
  if (before + text === '' && cut(escaped, '/')[0].includes(':')) text += './';
  return text + escaped;
}
