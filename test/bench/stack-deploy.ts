import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { View } from '@hivekeep/contracts';
import { eventually, type Lab, tempDir, testImage } from '@hivekeep/testkit';
import { emptied } from './bench-swarm.ts';
import { type BenchController, isLeaseCall, leaseIdOf, startController } from './controller.ts';
import { atMost, type Figure, forTheRecord, median } from './figure.ts';

const SERVICES = 50;
const ROUNDS = 5;
const STACK = 'bench50';
const PLACES = ['docker', '/usr/local/bin/docker', '/usr/bin/docker'];

/** (c): one stack of 50 services by a manual sync, against the docker CLI with the same file, in turns. */
export async function stackDeploy(lab: Lab): Promise<Figure[]> {
  await emptied(lab);
  const cli = await dockerCli();
  await using dir = await tempDir();
  const file = join(dir.path, 'compose.yaml');
  await writeFile(file, stackFile());
  await using controller = await startController({
    lab,
    files: { 'compose.yaml': stackFile() },
    applications: [`  - {name: ${STACK}, source: {repoURL: REPO, revision: main, compose: {files: [compose.yaml]}}}\n`],
    flags: ['--reconcile-interval', '1h'],
  });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await syncMs(lab, controller));
    await stackGone(lab);
    if (!cli) continue;
    const began = performance.now();
    const args = ['-H', `unix://${controller.proxy.socket}`, 'stack', 'deploy', '--detach=true', '-c', file, STACK];
    await promisify(execFile)(cli, args, { timeout: 60_000 });
    theirs.push(performance.now() - began);
    await stackGone(lab);
  }
  const missing = 'no docker CLI >= 28.2 on this machine';
  return [
    forTheRecord('c.hivekeep', median(ours), { unit: 'ms', note: `median of ${ours.map(Math.round).join(', ')}` }),
    forTheRecord('c.docker', median(theirs), { unit: 'ms', note: cli ? `median of ${theirs.map(Math.round).join(', ')}` : missing }),
    atMost('c.ratio', cli ? median(ours) / median(theirs) : Number.NaN, 1, {
      unit: 'of docker',
      note: cli ? 'request accepted until the last write, record included' : missing,
    }),
  ];
}

/** From the accepted request to the answer of the last write. */
async function syncMs(lab: Lab, controller: BenchController): Promise<number> {
  const lease = await leaseIdOf(lab);
  const before = (await controller.get<View>(`/api/v1/applications/${STACK}`)).status.sync.lastSync?.finishedAt;
  let lastWriteAt = 0;
  controller.proxy.intercept((call, phase) => {
    if (phase === 'after' && call.write && !isLeaseCall(call, lease) && !isStateCall(call.body)) lastWriteAt = performance.now();
    return 'pass';
  });
  await controller.post(`/api/v1/applications/${STACK}/sync`);
  const accepted = performance.now();
  await eventually(
    async () => {
      const { status } = await controller.get<View>(`/api/v1/applications/${STACK}`);
      if (status.sync.lastSync?.succeeded === false) throw new Error(status.sync.lastSync.error);
      return status.sync.lastSync !== undefined && status.sync.lastSync.finishedAt !== before && status.working !== true;
    },
    { timeoutMs: 60_000, intervalMs: 250 },
  );
  controller.proxy.intercept(undefined);
  const services = await lab.node(1).docker.listServices({ filters: { label: [`com.docker.stack.namespace=${STACK}`] } });
  if (services.length !== SERVICES) throw new Error(`expected ${SERVICES} services, found ${services.length}`);
  return lastWriteAt - accepted;
}

/** The accepted sync is noted in the application's state, which is taken back after the work. */
function isStateCall(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'Name' in body && String(body.Name).startsWith('hivekeep.app.');
}

async function stackGone(lab: Lab): Promise<void> {
  const { docker } = lab.node(1);
  for (const { ID } of await docker.listServices()) await docker.getService(ID).remove();
  const configs = await docker.listConfigs({ filters: { label: [`com.swarmcli.release=${STACK}`] } });
  for (const { ID } of configs) await docker.getConfig(ID).remove();
  await eventually(
    async () => {
      const networks = await docker.listNetworks({ filters: { name: [`${STACK}_`] } });
      for (const { Id } of networks)
        await docker
          .getNetwork(Id)
          .remove()
          .catch(() => undefined);
      return networks.length === 0;
    },
    { timeoutMs: 60_000 },
  );
}

/** Services without a task: what is compared is the writing, not the engines' starting of 50 containers on two cores. */
function stackFile(): string {
  const service = (index: number) => `  s${index}: {image: '${testImage}', command: [sleep, '3600'], deploy: {replicas: 0}}\n`;
  return `services:\n${Array.from({ length: SERVICES }, (_, index) => service(index)).join('')}`;
}

/** The first docker CLI of at least 28.2; older ones deploy in another way. */
async function dockerCli(): Promise<string | undefined> {
  for (const place of PLACES) {
    const { stdout } = await promisify(execFile)(place, ['--version']).catch(() => ({ stdout: '' }));
    const [, major = '0', minor = '0'] = /version (\d+)\.(\d+)/.exec(stdout) ?? [];
    if (Number(major) > 28 || (Number(major) === 28 && Number(minor) >= 2)) return place;
  }
  return undefined;
}
