import type { Model } from '../model.ts';
import type { Problems } from '../problems.ts';
import { record } from '../value.ts';
import { MergePoint } from './merge-point.ts';
import { mergeService } from './merge-service.ts';

/** The model of one file, and where to say what is odd in that file. */
export interface FileModel {
  readonly model: Model;
  readonly problems: Problems;
}

/** The models of several files as one: later ones win, definitions are replaced whole, services are merged. */
export function mergeModels(files: readonly FileModel[]): Model {
  const [first, ...rest] = files;
  if (!first) return { services: record(), networks: record(), volumes: record(), secrets: record(), configs: record() };
  return rest.reduce((base, file) => mergeModel(base, file), first.model);
}

function mergeModel(base: Model, { model, problems }: FileModel): Model {
  const replace = <T extends object>(
    section: 'networks' | 'volumes' | 'secrets' | 'configs',
    earlier: Record<string, T>,
    later: Record<string, T>,
  ) => replaceMembers(earlier, later, new MergePoint(problems, [section]));
  return {
    services: mergeServices(base.services, model.services, new MergePoint(problems, ['services'])),
    networks: replace('networks', base.networks, model.networks),
    volumes: replace('volumes', base.volumes, model.volumes),
    secrets: replace('secrets', base.secrets, model.secrets),
    configs: replace('configs', base.configs, model.configs),
  };
}

function mergeServices(base: Model['services'], override: Model['services'], point: MergePoint): Model['services'] {
  const merged = record(Object.entries(base));
  for (const [name, service] of Object.entries(override)) {
    const before = merged[name];
    merged[name] = before ? mergeService(before, service, point.in(name)) : service;
  }
  return merged;
}

/** A definition takes the place of an earlier one; an empty one, which says nothing, changes nothing. */
function replaceMembers<T extends object>(base: Record<string, T>, override: Record<string, T>, point: MergePoint): Record<string, T> {
  const merged = record(Object.entries(base));
  for (const [name, definition] of Object.entries(override)) {
    const before = merged[name];
    const keep = before && isEmpty(definition) && !isEmpty(before) && !point.deviate('merge-definition', name);
    if (!keep) merged[name] = definition;
  }
  return merged;
}

function isEmpty(definition: object): boolean {
  return Object.values(definition).every((value) => value === undefined);
}
