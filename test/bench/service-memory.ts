import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort, gitServer, type Lab, natsServer, tempDir } from '@hivekeep/testkit';
import { emptied } from './bench-swarm.ts';
import { atMost, type Figure, forTheRecord } from './figure.ts';
import { type HivekeepProcess, startHivekeep } from './hivekeep-process.ts';
import { memoryMib } from './process-usage.ts';
import { smallApplications } from './small-applications.ts';

const APPLICATIONS = 10;
/** How long the services run before their memory is read. */
const SETTLE_MS = 20_000;

/** (e) of each service alone, over NATS, with 10 applications. */
export async function serviceMemory(lab: Lab): Promise<Figure[]> {
  await emptied(lab);
  await using dir = await tempDir();
  await using nats = await natsServer();
  await using git = await gitServer();
  const repository = await git.createRepo('apps');
  const { files, applications } = smallApplications(APPLICATIONS);
  await repository.commit(files);
  const set = join(dir.path, 'applications.yaml');
  await writeFile(set, `applications:\n${applications.join('')}`.replaceAll('REPO', git.url('apps')));
  await writeFile(join(dir.path, 'token'), 'bench');
  const port = await freePort();
  const engine = ['--swarm', 'bench', '--docker-host', `unix://${lab.node(1).socket}`];
  const flags = {
    source: ['--config', set, '--data', join(dir.path, 'data')],
    reconciler: [...engine, '--home', '--controller-id', 'bench', '--reconcile-interval', '10s'],
    'node-agent': engine,
    gateway: ['--listen', `127.0.0.1:${port}`, '--admin-token-file', join(dir.path, 'token')],
  };
  await using services = new AsyncDisposableStack();
  const processes = Object.entries(flags).map(([name, more]) => {
    const log = join(dir.path, `${name}.log`);
    return [name, services.use(startHivekeep(['service', name, '--nats', nats.url, ...more], log))] as const;
  });
  await eventually(async () => (await lab.node(1).docker.listServices()).length === APPLICATIONS, { timeoutMs: 120_000 });
  await sleep(SETTLE_MS);
  const figures: Figure[] = [];
  for (const [name, process] of processes) figures.push(...(await memoryOf(name, process)));
  return figures;
}

async function memoryOf(name: string, process: HivekeepProcess): Promise<Figure[]> {
  if (process.ended) throw new Error(`${name} has ended:\n${await process.log()}`);
  const { resident, anonymous } = await memoryMib(process.pid);
  if (name !== 'node-agent')
    return [forTheRecord(`e.${name}.resident`, resident, { unit: 'MiB' }), forTheRecord(`e.${name}.anonymous`, anonymous, { unit: 'MiB' })];
  return [atMost(`e.${name}.resident`, resident, 100, { unit: 'MiB' }), atMost(`e.${name}.anonymous`, anonymous, 45, { unit: 'MiB' })];
}
