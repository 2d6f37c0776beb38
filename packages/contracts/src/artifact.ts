import { z } from 'zod';
import { exactNumber, parseJson } from './exact-json.ts';
import { Warning } from './status.ts';

/** A secret an artifact refers to: the object's name on the swarm and the scrypt digest of its content, never the content. */
export const SecretReference = z.object({ name: z.string(), digest: z.string().optional() });
export type SecretReference = z.infer<typeof SecretReference>;

const RequiredObject = z.object({ name: z.string(), description: z.string().optional() });

/** What a chart's release needs that it does not make itself, defaults applied. Source: the chart format, `requirements.yaml`. */
export const Requirements = z.object({
  /** `autoCreate`: it is made when it is missing. */
  networks: z.array(RequiredObject.extend({ driver: z.string(), attachable: z.boolean(), autoCreate: z.boolean() })),
  secrets: z.array(RequiredObject),
  configs: z.array(RequiredObject),
});
export type Requirements = z.infer<typeof Requirements>;

export const ReleaseArtifact = z.object({
  name: z.string(),
  wave: z.number().int(),
  chart: z.object({
    name: z.string(),
    version: z.string(),
    appVersion: z.string().optional(),
    /** As the release file wrote it; `compose` for compose sources. */
    ref: z.string(),
    repo: z.string().optional(),
    repoURL: z.string().optional(),
    /** A constraint on the version of the engine; one that is not met refuses what would be written. */
    swarmcliVersion: z.string().optional(),
  }),
  values: z.record(z.string(), z.unknown()),
  /** YAML. Of a compose source: the merged and interpolated document, contents replaced by the names of the objects. */
  manifest: z.string(),
  /** Base64. Of a compose source: contents of configs by the name of the swarm object; of a chart: files the manifest refers to by path. */
  files: z.record(z.string(), z.string()),
  secrets: z.array(SecretReference),
  /** Of a chart that has them: whatever is external must be declared there. */
  requirements: Requirements.optional(),
  /** The chart renders differently each time (the time of day, random numbers): deployed once for each commit. */
  volatile: z.boolean().optional(),
});
export type ReleaseArtifact = z.infer<typeof ReleaseArtifact>;

/**
 * What a build gives: immutable, canonical JSON (keys sorted, no white space), named by its sha256.
 * Equal inputs give equal bytes: commit, author and time travel beside it.
 */
export const Artifact = z.object({
  format: z.literal('hivekeep.artifact/v1'),
  releases: z.array(ReleaseArtifact),
  warnings: z.array(Warning),
});
export type Artifact = z.infer<typeof Artifact>;

/** An artifact from its canonical JSON, every number as it went in. Throws `SyntaxError` and what the schema throws. */
export function readArtifact(text: string): Artifact {
  return Artifact.parse(parseJson(text, exactNumber));
}
