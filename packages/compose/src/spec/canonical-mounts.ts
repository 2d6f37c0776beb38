import { parseSize } from '../decode/size.ts';
import { parseVolumeSpec } from '../decode/volume-spec.ts';
import type { Path } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { type Dict, importValue, isDict, record, type Value } from '../value.ts';
import { change, type ServicePlace, take, toList, toMode } from './forms.ts';
import { ignoreKeys } from './swarm-limits.ts';

const BIND_IGNORED = {
  create_host_path: 'swarm mounts a path that the node has, and creates none',
  recursive: 'swarm has no such setting in this format',
  selinux: 'swarm relabels nothing; label the path on the node',
};

/** Puts `volumes`, `tmpfs` and `shm_size` of a service as mounts in long form under `volumes`. */
export function canonicalMounts(service: Dict, place: ServicePlace): void {
  const tmpfs = toList(take(service, 'tmpfs') ?? null);
  const shared = take(service, 'shm_size');
  const volumes = service.volumes;
  const mounts = Array.isArray(volumes) ? volumes.map((item, index) => canonicalMount(item, [...place.path, 'volumes', index], place)) : [];
  const memory = Array.isArray(tmpfs) ? tmpfs.flatMap((item, index) => tmpfsMount(item, [...place.path, 'tmpfs', index], place)) : [];
  if (shared !== undefined) memory.push(memoryMount('/dev/shm', toBytes(shared)));
  if (Array.isArray(volumes) || memory.length > 0) service.volumes = [...mounts, ...memory];
}

function canonicalMount(item: Value, path: Path, place: ServicePlace): Value {
  const mount = typeof item === 'string' ? shortMount(item) : item;
  if (!isDict(mount)) return mount;
  if (take(mount, 'image') !== undefined)
    place.problems.add([...path, 'image'], 'image is not possible in a swarm: it mounts whole images at most');
  if (mount.type === 'bind') change(mount, 'source', (source) => (typeof source === 'string' ? place.relative(source) : source));
  if (isDict(mount.bind)) ignoreKeys(mount.bind, BIND_IGNORED, [...path, 'bind'], place.problems);
  if (isDict(mount.volume))
    ignoreKeys(mount.volume, { labels: 'declare the volume, with labels, under the top-level volumes' }, path, place.problems);
  if (isDict(mount.tmpfs)) {
    change(mount.tmpfs, 'size', toBytes);
    change(mount.tmpfs, 'mode', toMode);
  }
  return mount;
}

/** `d:/data`, `d:/data:ro`: a letter before a path is a volume, unless another path follows, as behind a drive. */
const LETTER_VOLUME = /^(\p{L}):\/[^:]*(?::[^:/\\]*)?$/u;

/** Undefined members left out; a text that is no mount stays, for the check of the whole document. */
function shortMount(text: string): Value {
  const mount = parseVolumeSpec(text, LETTER_VOLUME.exec(text)?.[1]);
  return 'error' in mount ? text : importValue(mount);
}

/** `/run:size=64m,mode=1777`; other options of the kernel are refused, since a swarm takes none. */
function tmpfsMount(item: Value, path: Path, { problems }: ServicePlace): Value[] {
  if (typeof item !== 'string') {
    problems.add(path, `expected a path such as /run:size=64m, found ${describeValue(item)}`);
    return [];
  }
  const [target = '', ...rest] = item.split(':');
  const options = rest
    .join(':')
    .split(',')
    .filter((option) => option !== '');
  const mount = memoryMount(target, undefined);
  for (const option of options) {
    const [name = '', value = ''] = option.split('=');
    if (name === 'size') (mount.tmpfs as Dict).size = toBytes(value);
    else if (name === 'mode') (mount.tmpfs as Dict).mode = toMode(value);
    else problems.warn('ignored-key', path, `the option ${option} is ignored: swarm takes size and mode of a tmpfs`);
  }
  return [mount];
}

function memoryMount(target: string, size: Value | undefined): Dict {
  const options = record<Value>(size === undefined ? [] : [['size', size]]);
  return record<Value>([
    ['type', 'tmpfs'],
    ['target', target],
    ['tmpfs', options],
  ]);
}

/** A size in bytes; what is none stays, for the check of the whole document. */
function toBytes(value: Value): Value {
  const size = typeof value === 'string' ? parseSize(value) : undefined;
  return size === undefined ? value : Math.trunc(size);
}
