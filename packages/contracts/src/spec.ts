import { z } from 'zod';
import { ApplicationName } from './names.ts';

/**
 * An application as declared (`applications[]` of an app set), defaults applied. Durations are Go duration strings.
 * The rules between fields live in `packages/application`; these are the shapes the bus and the API carry.
 */
export const ChartSource = z.object({
  release: z.string().optional(),
  path: z.string().optional(),
  ref: z.string().optional(),
  version: z.string().optional(),
  values: z.array(z.string()).optional(),
  repositories: z.array(z.object({ name: z.string(), url: z.string() })).optional(),
});
export type ChartSource = z.infer<typeof ChartSource>;

export const Dialect = z.enum(['auto', 'docker', 'spec']);
export type Dialect = z.infer<typeof Dialect>;

export const ComposeSource = z.object({
  files: z.array(z.string()),
  env: z.record(z.string(), z.string()).optional(),
  envFiles: z.array(z.string()).optional(),
  /** The stack's name; the application's when absent. */
  release: z.string().optional(),
  dialect: Dialect.optional(),
});
export type ComposeSource = z.infer<typeof ComposeSource>;

export const Source = z.object({
  repoURL: z.string(),
  revision: z.string(),
  releaseFile: z.string().optional(),
  chart: ChartSource.optional(),
  compose: ComposeSource.optional(),
});
export type Source = z.infer<typeof Source>;

export const Allow = z.object({
  hostPaths: z.array(z.string()).optional(),
  secrets: z.array(z.string()).optional(),
  configs: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  networks: z.array(z.string()).optional(),
});
export type Allow = z.infer<typeof Allow>;

export const SyncPolicy = z.object({
  automated: z.boolean().default(false),
  interval: z.string().optional(),
  wait: z.boolean().optional(),
  timeout: z.string().optional(),
  historyMax: z.number().int().optional(),
  prune: z.boolean().optional(),
  pruneVolumes: z.boolean().optional(),
  pruneResources: z.boolean().optional(),
  pruneFirst: z.boolean().optional(),
});
export type SyncPolicy = z.infer<typeof SyncPolicy>;

export const DriftDetection = z.enum(['manifest', 'live']);

export const Spec = z.object({
  name: ApplicationName,
  source: Source,
  registryAuth: z.string().optional(),
  self: z.boolean().optional(),
  /** Findings that are warnings elsewhere refuse this application. */
  strict: z.boolean().optional(),
  allow: Allow.default({}),
  destination: z.object({ swarm: z.string().optional() }).default({}),
  syncPolicy: SyncPolicy.default({ automated: false }),
  driftDetection: DriftDetection.default('manifest'),
});
export type Spec = z.infer<typeof Spec>;
