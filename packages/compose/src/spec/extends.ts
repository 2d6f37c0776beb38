import type { Path } from '../problems.ts';
import { describeValue } from '../schema/describe.ts';
import { type Dict, dict, isDict, member, printValue } from '../value.ts';
import { refuseUnknown, take } from './forms.ts';
import { mergeDocuments } from './merge-documents.ts';
import type { ProjectFile } from './project.ts';

/** Reads another file in long forms; undefined when it cannot be read, which is said of `where`. */
export type ReadOther = (path: string, where: Path) => Promise<ProjectFile | undefined>;

/** Puts what the services of a file extend under what they say themselves. */
export async function resolveExtends(file: ProjectFile, readOther: ReadOther): Promise<void> {
  const services = member(file.value, 'services');
  if (!isDict(services)) return;
  for (const name of Object.keys(services)) await extended(name, file, readOther, []);
}

/** The service with its base under it; undefined when there is none of that name. */
async function extended(name: string, file: ProjectFile, readOther: ReadOther, chain: readonly string[]): Promise<Dict | undefined> {
  const services = member(file.value, 'services');
  const service = isDict(services) ? member(services, name) : undefined;
  if (!isDict(services) || service === undefined || (service !== null && !isDict(service))) return undefined;
  const own = service ?? dict();
  const path = ['services', name, 'extends'];
  if (chain.includes(name)) {
    file.problems.add(path, `${[...chain, name].join(' extends ')}: a service cannot extend itself`);
    return own;
  }
  const wanted = take(own, 'extends');
  if (wanted === undefined) return own;
  const base = isDict(wanted) ? wanted : { service: wanted };
  if (isDict(wanted)) refuseUnknown(wanted, ['service', 'file'], path, file.problems);
  const source = base.file === undefined || base.file === null ? file : await readOther(printValue(base.file), path);
  const found =
    source && typeof base.service === 'string'
      ? await extended(base.service, source, readOther, source === file ? [...chain, name] : [])
      : undefined;
  if (!found) {
    if (source) file.problems.add(path, `expected the name of a service to extend, found ${describeValue(base.service ?? null)}`);
    return own;
  }
  const merged = mergeDocuments(found, own, file.document.tags(), ['services', name]);
  services[name] = merged;
  return merged;
}
