/** What each exit status means; `docs/reference/cli.md` lists them and a test compares. Never reused. */
export const EXIT = {
  ok: 0,
  differs: 1,
  usage: 2,
  forbidden: 3,
  notFound: 4,
  timeout: 5,
  rollout: 6,
  unreachable: 7,
  internal: 8,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
