import { HivekeepError } from '@hivekeep/contracts';
import { type BusUser, busUserName } from '@hivekeep/runtime';
import type { z } from 'zod';
import { Answers } from './answers.ts';
import { DeployFolder } from './deploy-folder.ts';
import { adminToken, busUsers, certificates, namesSalt, userKeys } from './key-material.ts';
import { natsConf } from './nats-conf.ts';
import { objectName } from './object-names.ts';
import { type FileObject, gatewayOverlay, hubOverlay, hubStack, remoteStack, type StackObjects } from './stack-file.ts';
import { stackText } from './stack-text.ts';

export interface InitOptions {
  readonly path: string;
  /** What is told now; the rest is as in the folder's answers. */
  readonly given: z.input<typeof Answers> | Partial<z.input<typeof Answers>>;
  /** Contents of files that are taken over. */
  readonly gitToken?: string | undefined;
  readonly applications?: string | undefined;
  readonly now: Date;
}

export interface InitResult {
  readonly answers: Answers;
  /** Files that are new or changed, relative to the folder. */
  readonly written: readonly string[];
}

/**
 * Makes or refreshes the folder of an installation: keys, certificates, the configuration of NATS and the stack files. A secret
 * that is there stays. Throws `usage/invalid` for answers that do not fit, and `config/invalid` for files that can't be used.
 */
export async function initFolder({ path, given, gitToken, applications, now }: InitOptions): Promise<InitResult> {
  const folder = new DeployFolder(path);
  const answers = await answersOf(folder, given);
  if (applications !== undefined) await folder.write('applications.yaml', applications);
  if (answers.appsetRepo === undefined && (await folder.read('applications.yaml')) === undefined)
    throw new HivekeepError('usage/invalid', 'expected an app set: give --appset-repo URL, or --applications FILE');
  await folder.write('answers.json', `${JSON.stringify(answers, null, 2)}\n`);
  if (gitToken !== undefined) await folder.write('secrets/git-token', gitToken, 0o600);
  await adminToken(folder);
  await certificates(folder, answers, now);
  await folder.write('nats.conf', natsConf({ accounts: await userKeys(folder, answers), nodes: answers.natsNodes }));
  await writeStacks(folder, answers);
  for (const swarm of answers.swarms) await writeRemote(folder, answers, swarm);
  return { answers, written: folder.written };
}

async function answersOf(folder: DeployFolder, given: InitOptions['given']): Promise<Answers> {
  const kept = await folder.read('answers.json');
  const parsed = Answers.safeParse({ ...(kept === undefined ? {} : parseJson(kept)), ...given });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new HivekeepError('usage/invalid', 'the answers cannot be used as they are', { issues });
}

function parseJson(text: string): object {
  try {
    return JSON.parse(text) as object; // the schema judges it next
  } catch (cause) {
    throw new HivekeepError('config/invalid', 'answers.json is no JSON; mend it, or move it away and answer again', { cause });
  }
}

async function writeStacks(folder: DeployFolder, answers: Answers): Promise<void> {
  const local = busUsers(answers).filter((user) => !('swarm' in user) || user.swarm === answers.swarm);
  const name = await objectNames(folder, answers.stack);
  const present = async (keys: readonly string[]) =>
    (await Promise.all(keys.map(async (key) => ((await folder.read(`secrets/${key}`)) ? [key] : [])))).flat();
  const secrets = await name.secrets('', ['nats-key', 'admin-token', ...local.map(seedOf), ...(await present(['git-token']))]);
  const configs = await name.configs('', {
    'nats-conf': 'nats.conf',
    'nats-crt': 'nats.crt',
    ca: 'ca.crt',
    ...(answers.appsetRepo === undefined && { applications: 'applications.yaml' }),
  });
  await writeYaml(folder, 'stack.yml', hubStack(answers, { secrets, configs }));
  await writeYaml(folder, 'hub.yml', hubOverlay(answers));
  if (answers.gatewayNames.length === 0) return;
  const objects = { secrets: await name.secrets('', ['gateway-key']), configs: await name.configs('', { 'gateway-crt': 'gateway.crt' }) };
  await writeYaml(folder, 'gateway.yml', gatewayOverlay(answers, objects));
}

/** A folder that can be carried to another swarm as it is: its stack, the authority's certificate and its two seeds. */
async function writeRemote(folder: DeployFolder, answers: Answers, swarm: string): Promise<void> {
  const root = `swarms/${swarm}/`;
  const users = busUsers(answers).filter((user) => 'swarm' in user && user.swarm === swarm);
  for (const user of users)
    await folder.write(`${root}secrets/${seedOf(user)}`, (await folder.read(`secrets/${seedOf(user)}`)) ?? '', 0o600);
  await folder.write(`${root}ca.crt`, (await folder.read('ca.crt')) ?? '');
  const name = await objectNames(folder, answers.stack);
  const objects: StackObjects = {
    secrets: await name.secrets(root, users.map(seedOf)),
    configs: await name.configs(root, { ca: 'ca.crt' }),
  };
  const servers = answers.hubNames.map((host) => `tls://${host}:${answers.hubPort}`);
  if (servers.length === 0) throw new HivekeepError('usage/invalid', `swarm ${swarm} has to reach the hub: give --hub-name HOST`);
  await writeYaml(folder, `${root}stack.yml`, remoteStack(answers, swarm, servers, objects));
}

const seedOf = (user: BusUser) => `seed-${busUserName(user)}`;

async function objectNames(folder: DeployFolder, stack: string) {
  const salt = await namesSalt(folder);
  const object = async (key: string, root: string, file: string): Promise<[string, FileObject]> => {
    const content = (await folder.read(root + file)) ?? '';
    return [key, { file: `./${file}`, name: objectName(stack, key, content, salt) }];
  };
  return {
    secrets: async (root: string, keys: readonly string[]) =>
      Object.fromEntries(await Promise.all(keys.map((key) => object(key, root, `secrets/${key}`)))),
    configs: async (root: string, files: Readonly<Record<string, string>>) =>
      Object.fromEntries(await Promise.all(Object.entries(files).map(([key, file]) => object(key, root, file)))),
  };
}

function writeYaml(folder: DeployFolder, name: string, content: object): Promise<void> {
  return folder.write(name, stackText(content));
}
