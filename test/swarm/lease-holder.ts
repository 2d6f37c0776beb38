import { DockerSwarm, dockerEndpoint, SwarmLease } from '@hivekeep/swarm';

/**
 * A process of its own that holds a lease and writes as often as it may: `node lease-holder.ts SOCKET LEASE TIMES`. It says on stdout
 * `active EPOCH`, `wrote N EPOCH` and `deposed`; a test stops and resumes it.
 */
const [socket = '', name = '', times = '{}'] = process.argv.slice(2);
const swarm = new DockerSwarm({ endpoint: dockerEndpoint(`unix://${socket}`) });
const binding = { controllerId: name, swarm: 'here', home: true, appSet: name };
const lease = new SwarmLease({ swarm, name, binding, times: JSON.parse(times) });
const say = (line: string) => process.stdout.write(`${line}\n`);

let phase = lease.state;
lease.onChange(() => {
  if (lease.state === phase) return;
  phase = lease.state;
  say(phase === 'active' ? `active ${lease.epoch}` : phase);
});
lease.start();

let count = 0;
setInterval(async () => {
  if (lease.state !== 'active') return;
  count += 1;
  try {
    lease.assertActive();
    await swarm.createConfig({
      Name: `w-${name}-${count}`,
      Labels: { epoch: String(lease.epoch) },
      Data: Buffer.from('x').toString('base64'),
    });
    say(`wrote ${count} ${lease.epoch}`);
  } catch {
    say('deposed');
  }
}, 50);
