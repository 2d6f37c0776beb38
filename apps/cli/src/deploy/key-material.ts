import { randomBytes } from 'node:crypto';
import { type BusAccount, type BusUser, busUserName, createUserKeys, publicKeyOf } from '@hivekeep/runtime';
import type { Answers } from './answers.ts';
import { createAuthority, createServerCertificate, isCurrent, type KeyPair } from './certificates.ts';
import type { DeployFolder } from './deploy-folder.ts';

/** The users of the bus: the hub's two services, and two of each swarm. */
export function busUsers({ swarm, swarms }: Answers): BusUser[] {
  const ofSwarms = [swarm, ...swarms].flatMap((name): BusUser[] => [
    { service: 'reconciler', swarm: name },
    { service: 'node-agent', swarm: name },
  ]);
  return [{ service: 'source' }, { service: 'gateway' }, ...ofSwarms];
}

/** Makes what is missing of the installation's keys and gives the accounts of its bus users. Nothing there is replaced. */
export async function userKeys(folder: DeployFolder, answers: Answers): Promise<BusAccount[]> {
  const accounts: BusAccount[] = [];
  for (const user of busUsers(answers)) {
    const seed = await folder.secret(`seed-${busUserName(user)}`, () => createUserKeys().seed);
    accounts.push({ user, publicKey: publicKeyOf(seed) });
  }
  return accounts;
}

/** The admin token, 256 random bits. */
export function adminToken(folder: DeployFolder): Promise<string> {
  return folder.secret('admin-token', () => randomBytes(32).toString('base64url'));
}

/** What object names are keyed with. */
export function namesSalt(folder: DeployFolder): Promise<string> {
  return folder.secret('names-salt', () => randomBytes(32).toString('base64url'));
}

/** The authority of this installation, and the certificates of NATS and the gateway: made anew when names were added or time runs out. */
export async function certificates(folder: DeployFolder, answers: Answers, now: Date): Promise<void> {
  const authority = await authorityOf(folder, now);
  await certificate(folder, authority, 'nats', ['nats', 'tasks.nats', `${answers.stack}_nats`, 'localhost', ...answers.hubNames], now);
  if (answers.gatewayNames.length > 0) await certificate(folder, authority, 'gateway', [...answers.gatewayNames, 'localhost'], now);
}

async function authorityOf(folder: DeployFolder, now: Date): Promise<KeyPair> {
  const [certificateFile, key] = [await folder.read('ca.crt'), await folder.read('secrets/ca-key')];
  if (certificateFile !== undefined && key !== undefined) return { certificate: certificateFile, key };
  const made = await createAuthority(now);
  await folder.write('secrets/ca-key', made.key, 0o600);
  await folder.write('ca.crt', made.certificate);
  return made;
}

async function certificate(folder: DeployFolder, authority: KeyPair, name: string, names: readonly string[], now: Date): Promise<void> {
  const present = await folder.read(`${name}.crt`);
  const key = await folder.read(`secrets/${name}-key`);
  if (present !== undefined && key !== undefined && isCurrent(present, names, now)) return;
  const made = await createServerCertificate(authority, names, now);
  await folder.write(`secrets/${name}-key`, made.key, 0o600);
  await folder.write(`${name}.crt`, made.certificate);
}
