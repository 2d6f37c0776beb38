import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HivekeepError } from '@hivekeep/contracts';
import { DockerSwarm } from '@hivekeep/swarm';
import { checkout } from '../checkout.ts';
import { endpointOf } from '../services/engine-endpoint.ts';
import { Answers } from './answers.ts';
import { askAppSet } from './ask-app-set.ts';
import { checkInstallation, type Finding, type SwarmFacts } from './check.ts';
import { checkCertificates } from './check-certificates.ts';
import { DeployFolder } from './deploy-folder.ts';
import { exampleFiles } from './example-files.ts';
import { type InitOptions, initFolder } from './init-folder.ts';
import { wantedOf } from './wanted.ts';

/** Flags of `deploy init`, by the names of the answers, and the files to take over. */
export type InitFlags = InitOptions['given'] & { readonly gitTokenFile?: string; readonly applications?: string };

/** Docker's label for the stack a service belongs to. */
const STACK_LABEL = 'com.docker.stack.namespace';

const OVERLAYS = ['gateway.yml', 'hub.yml'];
const CERTIFICATES = ['ca.crt', 'nats.crt', 'gateway.crt'];

/** `hivekeep deploy init FOLDER`. Asks for the app set on a terminal when nothing tells it. */
export async function init(path: string, { gitTokenFile, applications, ...flags }: InitFlags): Promise<void> {
  const isNew = (await new DeployFolder(path).read('answers.json')) === undefined;
  const asked = isNew && flags.appsetRepo === undefined && applications === undefined && process.stdin.isTTY ? await askAppSet() : {};
  const result = await initFolder({
    path,
    given: { ...asked, ...flags },
    gitToken: await content(gitTokenFile),
    applications: await content(applications),
    now: new Date(),
  });
  tell(path, result);
}

/** `hivekeep deploy check FOLDER`. False when something is missing. */
export async function check(path: string, { dockerHost }: { dockerHost?: string }): Promise<boolean> {
  const folder = new DeployFolder(path);
  const answers = Answers.parse(JSON.parse(await needed(folder, 'answers.json')));
  const stack = wantedOf(await needed(folder, 'stack.yml'));
  const overlays = Object.entries(await present(folder, OVERLAYS)).map(([file, text]) => [file, wantedOf(text)] as const);
  const findings = [
    ...checkInstallation(answers, { stack, overlays: Object.fromEntries(overlays) }, await factsOf(answers, dockerHost)),
    ...checkCertificates(await present(folder, CERTIFICATES), new Date()),
  ];
  for (const finding of findings) process.stdout.write(line(finding));
  return findings.every(({ ok }) => ok);
}

/** `hivekeep swarm add NAME`: credentials of another swarm and what to run there. */
export async function addSwarm(path: string, name: string, flags: { hubNames?: string[] }): Promise<void> {
  const folder = new DeployFolder(path);
  const answers = Answers.parse(JSON.parse(await needed(folder, 'answers.json')));
  const swarms = [...new Set([...answers.swarms, name])];
  const { stack } = answers;
  const { written } = await initFolder({ path, given: { ...answers, swarms, ...flags }, now: new Date() });
  say(`${written.length === 0 ? 'nothing changed' : `written: ${written.join(', ')}`}\n`);
  say(`On the hub, in ${path}, so that NATS knows the new users and is published:`);
  say(`  docker stack deploy -c stack.yml -c hub.yml${answers.gatewayNames.length > 0 ? ' -c gateway.yml' : ''} ${stack}`);
  say(`On a manager of ${name}, with a copy of ${path}/swarms/${name} (it holds secrets: carry it over ssh, delete it there afterwards):`);
  say(`  docker stack deploy -c stack.yml ${stack}`);
}

/** `hivekeep dev deploy-example`. */
export async function writeExample(): Promise<void> {
  const folder = new DeployFolder(join(checkout, 'deploy/example'));
  for (const [name, text] of Object.entries(exampleFiles())) await folder.write(name, text);
}

function tell(path: string, { answers, written }: Awaited<ReturnType<typeof initFolder>>): void {
  const { stack, natsLabel, natsNodes, gatewayNames } = answers;
  say(written.length === 0 ? `${path} is as it was` : `written in ${path}: ${written.join(', ')}`);
  say(`\nNext, on a manager, in ${path}:`);
  say(`  docker node update --label-add ${natsLabel}=true NODE    # ${natsNodes} in all: NATS keeps its store there`);
  say(`  docker stack deploy -c stack.yml${gatewayNames.length > 0 ? ' -c gateway.yml' : ''} ${stack}`);
  say(`  hivekeep deploy check ${path}`);
  say(`The admin token is in ${path}/secrets/admin-token; clients trust ${path}/ca.crt. Keep a copy of the folder in a safe place.`);
}

async function factsOf({ stack }: Answers, dockerHost: string | undefined): Promise<SwarmFacts> {
  const swarm = new DockerSwarm({ endpoint: endpointOf(dockerHost) });
  const label = `${STACK_LABEL}=${stack}`;
  try {
    const [nodes, services, tasks, secrets, configs] = await Promise.all([
      swarm.listNodes(),
      swarm.listServices({ label }),
      swarm.listTasks({ label }),
      swarm.listSecrets({ label }),
      swarm.listConfigs({ label }),
    ]);
    return { nodes, services, tasks, objects: new Set([...secrets, ...configs].map(({ name }) => name)) };
  } finally {
    swarm.close();
  }
}

/** Those of the files that the folder has, by name. */
async function present(folder: DeployFolder, names: readonly string[]): Promise<Record<string, string>> {
  const texts = await Promise.all(names.map(async (name) => [name, await folder.read(name)] as const));
  return Object.fromEntries(texts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

async function needed(folder: DeployFolder, name: string): Promise<string> {
  const text = await folder.read(name);
  if (text !== undefined) return text;
  throw new HivekeepError('usage/invalid', `expected ${name} in ${folder.path}: run hivekeep deploy init ${folder.path} first`);
}

async function content(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw new HivekeepError('usage/invalid', `'${file}' cannot be read: ${(cause as Error).message}`, { cause });
  });
}

function line({ ok, warning = false, what, advice }: Finding): string {
  return `${warning ? 'WARNING' : ok ? 'ok     ' : 'MISSING'}  ${what}${advice === undefined ? '' : `\n         → ${advice}`}\n`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
