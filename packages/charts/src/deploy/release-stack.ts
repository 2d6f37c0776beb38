import { type ComposeDocument, convertStack, type StackObjects } from '@hivekeep/compose';
import { decode, toPlain } from '@hivekeep/goyaml';
import { deployable, type RecordedManifest } from './deployable.ts';

/** What releases of compose sources are recorded as; no chart may have this name and version. */
export const COMPOSE_CHART = { name: 'compose', version: '0.0.0' } as const;

export interface ReleaseManifest extends RecordedManifest {
  /** The chart as it is recorded; it tells what `manifest` and `files` are. */
  readonly chart: { readonly name: string; readonly version: string };
}

export interface ReleaseStack {
  readonly document: ComposeDocument;
  readonly objects: StackObjects;
}

/** Whether a record or an artifact is of a compose source, whose manifest has neither variables nor references to files. */
export function isComposeRelease({ name, version }: ReleaseManifest['chart']): boolean {
  return name === COMPOSE_CHART.name && version === COMPOSE_CHART.version;
}

/**
 * The swarm objects of a release, of an artifact or a record alike; without `files` their names alone. Throws `compose/invalid`,
 * `chart/invalid` and `yaml/invalid` when the manifest is none.
 */
export function releaseStack(release: ReleaseManifest): ReleaseStack {
  const { stack, manifest, files } = release;
  if (isComposeRelease(release.chart)) {
    const document = toPlain(decode(manifest)) as ComposeDocument; // convertStack refuses what is no mapping
    return { document, objects: convertStack({ stack, document, ...(files && { files }) }) };
  }
  const { document, contents } = deployable(release);
  return { document, objects: convertStack({ stack, document, files: contents, kind: 'chart' }) };
}
