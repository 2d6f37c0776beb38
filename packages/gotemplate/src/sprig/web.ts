import { type FunctionTable, fn } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { formatUrl, hostnameOf, parseUrl } from '../text/url.ts';
import { Dict, kindOf } from '../values.ts';

function urlParse(text: string): Dict {
  const url = parseUrl(text);
  const dict = new Dict();
  const { scheme, host, path, query, opaque, fragment } = url;
  for (const [key, value] of Object.entries({ scheme, host, hostname: hostnameOf(host), path, query, opaque, fragment }))
    dict.set(key, value);
  return dict.set('userinfo', url.userinfo ?? '');
}

/** A text of a map; absent is empty. */
function textAt(dict: Dict, key: string): string {
  const value = dict.get(key);
  if (value === undefined) return '';
  if (typeof value !== 'string') throw new CallFailure(`unable to parse ${key} key, must be of type string, but ${kindOf(value)} found`);
  return value;
}

function urlJoin(dict: Dict): string {
  const userinfo = textAt(dict, 'userinfo');
  return formatUrl({
    scheme: textAt(dict, 'scheme'),
    host: textAt(dict, 'host'),
    path: textAt(dict, 'path'),
    query: textAt(dict, 'query'),
    opaque: textAt(dict, 'opaque'),
    fragment: textAt(dict, 'fragment'),
    userinfo: userinfo === '' ? undefined : parseUrl(`proto://${userinfo}@host`).userinfo,
  });
}

/** Go's `path.Clean`. */
function clean(path: string): string {
  if (path === '') return '.';
  const isRooted = path.startsWith('/');
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isRooted) kept.push('..');
  }
  const joined = kept.join('/');
  return isRooted ? `/${joined}` : joined || '.';
}

function base(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1) || '/';
}

const dir = (path: string) => clean(path.slice(0, path.lastIndexOf('/') + 1));

function extension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}

const isAbsolute = (path: string) => path.startsWith('/');

/** URLs and paths; those of the operating system are those of Linux. */
export const webFunctions: FunctionTable = {
  urlParse: fn(['string'], urlParse),
  urlJoin: fn(['map'], urlJoin),
  base: fn(['string'], base),
  dir: fn(['string'], dir),
  clean: fn(['string'], clean),
  ext: fn(['string'], extension),
  isAbs: fn(['string'], isAbsolute),
  osBase: fn(['string'], base),
  osDir: fn(['string'], dir),
  osClean: fn(['string'], clean),
  osExt: fn(['string'], extension),
  osIsAbs: fn(['string'], isAbsolute),
};
