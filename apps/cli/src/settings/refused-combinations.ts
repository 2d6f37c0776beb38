type Given = Readonly<Record<string, unknown>>;

/** `[refuses, message]`: settings that contradict each other or lack their other half. */
const rules: readonly (readonly [(given: Given) => unknown, string])[] = [
  [(given) => given.appsetRepo && given.appsetDir, '--appset-repo and --appset-dir: give one app set'],
  [(given) => given.config && (given.appsetRepo || given.appsetDir), '--config with --appset-repo or --appset-dir: give one app set'],
  [(given) => given.appsetRepo && !given.appsetRevision, '--appset-repo needs --appset-revision'],
  [(given) => given.appsetRepo && !given.appsetPath, '--appset-repo needs --appset-path'],
  [(given) => given.appsetRevision && !given.appsetRepo, '--appset-revision needs --appset-repo'],
  [(given) => given.appsetPath && !given.appsetRepo && !given.appsetDir, '--appset-path needs --appset-repo or --appset-dir'],
  [(given) => given.pruneVolumes && !given.prune, '--prune-volumes needs --prune'],
  [(given) => Boolean(given.tlsCert) !== Boolean(given.tlsKey), '--tls-cert and --tls-key are given together or not at all'],
  [(given) => Boolean(given.natsCert) !== Boolean(given.natsKey), '--nats-cert and --nats-key are given together or not at all'],
  [
    (given) => Boolean(given.natsUser) !== Boolean(given.natsPasswordFile),
    '--nats-user and --nats-password-file are given together or not at all',
  ],
  [
    (given) => [given.natsCreds, given.natsSeedFile, given.natsUser].filter(Boolean).length > 1,
    '--nats-creds, --nats-seed-file and --nats-user: give one way to log in',
  ],
];

/** Every combination among the given settings (by name in the program) that is refused, with what to give instead. */
export function refusedCombinations(given: Given): string[] {
  return [...rules.filter(([refuses]) => refuses(given)).map(([, message]) => message), ...wrongNodes(given.node)];
}

function wrongNodes(nodes: unknown): string[] {
  if (!Array.isArray(nodes)) return [];
  const names = nodes.map((node) => String(node).split('=', 1)[0]);
  const malformed = nodes.filter((node) => !/^[^=\s]+=\w+:\/\/\S+$/.test(String(node)));
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return [
    ...malformed.map((node) => `--node: expected NAME=unix:///path or NAME=tcp://host:port, found '${node}'`),
    ...twice.map((name) => `--node ${name} is given twice`),
  ];
}
