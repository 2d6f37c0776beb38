import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import { createGitRepo, eventually, type GitRepo, type Lab, labSwitch, startServer } from '@hivekeep/testkit';

/** How this machine's processes reach into a lab, and its containers a Git server. */
export interface LabEntrance extends AsyncDisposable {
  readonly repo: GitRepo;
  /** The repository's URL, and its host, as containers of the lab reach it. */
  readonly repoURL: string;
  readonly gitHost: string;
  /** One HTTPS request to a port of a node. */
  ask(node: string, options: HttpsAsk): Promise<{ status: number; text: string }>;
  /** The same, for an answer that goes on and on; it fails when nothing comes for 20 s. */
  open(node: string, options: HttpsAsk): Promise<IncomingMessage>;
  /** Resolves when a pack that was being sent to a Git client has stopped half way. */
  stallFetch(): Promise<void>;
}

export interface HttpsAsk {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** PEM of the authority that must have signed the certificate, and the name it must be for. */
  readonly ca: string;
  readonly servername: string;
  /** Keeps connections; each request gets one of its own when absent. */
  readonly agent?: Agent;
}

const GIT_PORT = 3000;
const ASK_MS = 20_000;

export async function labEntrance(lab: Lab, folder: string, port: number): Promise<LabEntrance> {
  const repositories = join(folder, 'git');
  await mkdir(repositories);
  const repo = await createGitRepo(join(repositories, 'set.git'));
  const socketOf = (address: string) => join(folder, `${address}.sock`);
  const forwards = Object.fromEntries(lab.nodes.map(({ address }) => [`${address}:${port}`, socketOf(address)]));
  const stall = join(folder, 'stall');
  const program = [process.execPath, join(import.meta.dirname, 'switch-server.ts')];
  const [command = '', ...args] = labSwitch(...program, JSON.stringify({ repositories, gitPort: GIT_PORT, stall, forwards }));
  const server = await startServer(command, args, join(folder, 'switch.log'));
  const gitHost = lab.node(1).address.replace(/\d+$/, '1');
  return {
    repo,
    repoURL: `http://${gitHost}:${GIT_PORT}/set.git`,
    gitHost,
    ask: async (address, options) => {
      const started = () => open(socketOf(address), options);
      const answer = await eventually(started, { timeoutMs: 2_000, failFast: (thrown) => !hasCode(thrown, 'ENOENT') });
      let text = '';
      for await (const chunk of answer.setEncoding('utf8')) text += chunk;
      return { status: answer.statusCode ?? 0, text };
    },
    open: (address, options) => open(socketOf(address), options),
    stallFetch: async () => {
      await writeFile(stall, '');
      await eventually(() => !existsSync(stall), { timeoutMs: 60_000 });
    },
    [Symbol.asyncDispose]: () => server.kill(),
  };
}

function open(socketPath: string, { method = 'GET', path, headers = {}, body, ca, servername, agent }: HttpsAsk): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path, headers, ca, servername, agent: agent ?? false, timeout: ASK_MS }, resolve);
    call.once('timeout', () => call.destroy(new Error(`no answer in ${ASK_MS} ms`))).on('error', reject);
    call.end(body);
  });
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
