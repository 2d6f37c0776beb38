import { z } from 'zod';
import { DEFAULT_GIT_LIMITS } from './git/index.ts';

const ms = (fallback: number) => z.number().int().positive().max(86_400_000).default(fallback);
const bytes = (fallback: number) => z.number().int().positive().max(Number.MAX_SAFE_INTEGER).default(fallback);

/** What the source service is told at its start. Flags are the kebab-case names, environment variables `HIVEKEEP_…`. */
export const SourceConfig = z
  .object({
    config: z
      .string()
      .min(1)
      .optional()
      .describe('The app set as a mounted file; /etc/hivekeep/applications.yaml when no other place is given.'),
    appsetRepo: z.string().min(1).optional().describe('Repository of the app set; needs `appset-revision` and `appset-path`.'),
    appsetRevision: z.string().min(1).optional().describe('Branch, tag or full commit id of the app set.'),
    appsetPath: z
      .string()
      .min(1)
      .optional()
      .describe('Path of the app set in its repository or directory; `applications.yaml` in a directory.'),
    appsetDir: z.string().min(1).optional().describe('A directory kept current by a sidecar that holds the app set.'),
    data: z
      .string()
      .startsWith('/')
      .default('/var/lib/hivekeep')
      .describe('Where the mirrors of repositories are kept; all of it can be made again.'),
    homeSwarm: z
      .string()
      .min(1)
      .optional()
      .describe('The only swarm that may take applications without a destination; any that asks when absent.'),
    gitCredentials: z
      .string()
      .min(1)
      .optional()
      .describe('YAML file that names, by host, the files with tokens, SSH keys and known hosts; read at each use.'),
    gitUsername: z.string().min(1).optional().describe('User name that goes with the global Git token; `x-access-token` when absent.'),
    gitToken: z.string().optional().describe('The global Git token itself; from the environment only. Empty: none.'),
    gitTokenFile: z.string().min(1).optional().describe('File with the global Git token, read at each use; wins over `git-token`.'),
    allowInsecureGit: z
      .array(z.string().min(1))
      .default([])
      .describe('Hosts whose repositories may be read over plain http, besides loopback.'),
    allowLocalGit: z.boolean().default(false).describe('Allows repositories that are absolute paths on this machine.'),
    allowChartHost: z
      .array(z.string().min(1))
      .default([])
      .describe('Hosts (`name` or `name:port`) of chart repositories that may be in a private network or be asked over plain http.'),
    chartIndexMaxAgeMs: ms(600_000).describe('How old what is known of a chart repository may be, in milliseconds.'),
    chartTimeoutMs: ms(30_000).describe('How long one request to a chart repository may take, in milliseconds.'),
    gitAskTimeoutMs: ms(DEFAULT_GIT_LIMITS.askTimeoutMs).describe(
      'How long a repository may take to name its branches and tags, in milliseconds.',
    ),
    gitFetchTimeoutMs: ms(DEFAULT_GIT_LIMITS.fetchTimeoutMs).describe('How long a fetch may take, in milliseconds.'),
    gitMaxRepositoryBytes: bytes(DEFAULT_GIT_LIMITS.maxRepositoryBytes).describe(
      'The largest repository that is fetched, in bytes of its packs.',
    ),
    gitMaxFileBytes: bytes(DEFAULT_GIT_LIMITS.maxFileBytes).describe('The largest file that is read, in bytes.'),
    gitParallel: z
      .number()
      .int()
      .positive()
      .max(64)
      .default(DEFAULT_GIT_LIMITS.parallel)
      .describe('Git commands over the network at one time; a host that none runs for may begin one all the same.'),
    sweepIntervalMs: ms(600_000).describe('Time between two looks for mirrors that nothing uses, in milliseconds.'),
  })
  .superRefine((config, context) => {
    const refuse = (path: keyof typeof config, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (config.appsetRepo && config.appsetDir) refuse('appsetDir', 'appset-repo and appset-dir exclude each other');
    if (config.config && (config.appsetRepo || config.appsetDir)) refuse('config', 'config excludes appset-repo and appset-dir');
    if (config.appsetRepo && !config.appsetRevision) refuse('appsetRevision', 'appset-repo needs appset-revision');
    if (config.appsetRepo && !config.appsetPath) refuse('appsetPath', 'appset-repo needs appset-path');
    if (config.appsetRevision && !config.appsetRepo) refuse('appsetRevision', 'appset-revision needs appset-repo');
    if (config.appsetPath && !config.appsetRepo && !config.appsetDir) refuse('appsetPath', 'appset-path needs appset-repo or appset-dir');
  });
export type SourceConfig = z.output<typeof SourceConfig>;
