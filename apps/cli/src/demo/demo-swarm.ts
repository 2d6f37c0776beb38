import { createHash } from 'node:crypto';
import { HivekeepError } from '@hivekeep/contracts';
import { DockerSwarm, dockerEndpoint } from '@hivekeep/swarm';
import { checkout } from '../checkout.ts';
import { labDockerHost, labDown, labUp } from '../lab/lab-script.ts';

export interface DemoNode {
  readonly name: string;
  /** As `DOCKER_HOST` has it. */
  readonly dockerHost: string;
}

/** Where the demo runs. The first node is a manager. */
export interface DemoSwarm {
  readonly kind: 'local' | 'lab';
  readonly nodes: readonly DemoNode[];
  /** The only node the demo reaches, where the swarm has others too. */
  readonly onlyNode: string | undefined;
  /** Takes a throwaway lab down, and leaves a swarm that was made for the demo; what was deployed is not its concern. */
  remove(): Promise<void>;
}

const LAB_NODES = [1, 2, 3];
const LOOK_MS = 3_000;

/**
 * This machine's engine when it is a swarm manager, or may be made one; else a lab.
 * @throws `usage/invalid` where there is neither, saying what would help.
 */
export async function demoSwarm({ initSwarm }: { initSwarm: boolean }): Promise<DemoSwarm> {
  const local = await localSwarm(initSwarm);
  if (local) return local;
  if (process.platform === 'linux' && process.getuid?.() === 0) return labSwarm();
  throw new HivekeepError(
    'usage/invalid',
    "this machine's engine is no swarm manager: start the demo with --init-swarm, or as root on Linux, where it makes a swarm of its own",
  );
}

async function localSwarm(initSwarm: boolean): Promise<DemoSwarm | undefined> {
  const endpoint = dockerEndpoint(process.env.DOCKER_HOST, process.env.DOCKER_CERT_PATH);
  const dockerHost = endpoint.kind === 'socket' ? `unix://${endpoint.path}` : `tcp://${endpoint.host}:${endpoint.port}`;
  const engine = new DockerSwarm({ endpoint, timeoutMs: LOOK_MS });
  try {
    let info = await engine.info();
    const made = initSwarm && info.state === 'inactive';
    if (made) {
      await engine.http.call({
        method: 'POST',
        path: '/swarm/init',
        body: { ListenAddr: '127.0.0.1:2377', AdvertiseAddr: '127.0.0.1' },
        timeoutMs: 30_000,
        action: 'make a swarm',
      });
      info = await engine.info();
    }
    if (!info.manager) return undefined;
    const remove = async () => {
      if (made) await leaveSwarm(dockerHost);
    };
    return { kind: 'local', nodes: [{ name: 'local', dockerHost }], onlyNode: info.nodes > 1 ? info.nodeId : undefined, remove };
  } catch (error) {
    if (initSwarm) throw error;
    return undefined;
  } finally {
    engine.close();
  }
}

async function leaveSwarm(dockerHost: string): Promise<void> {
  const engine = new DockerSwarm({ endpoint: dockerEndpoint(dockerHost) });
  try {
    await engine.http.call({ method: 'POST', path: '/swarm/leave', query: { force: '1' }, timeoutMs: 30_000, action: 'leave the swarm' });
  } finally {
    engine.close();
  }
}

async function labSwarm(): Promise<DemoSwarm> {
  const name = `demo-${createHash('sha256').update(checkout).digest('hex').slice(0, 8)}`;
  const remove = () => labDown({ name });
  try {
    await remove(); // a demo that was killed may have left it
    await labUp({ nodes: LAB_NODES.length }, { name });
    const nodes = LAB_NODES.map(async (node) => ({ name: `node${node}`, dockerHost: await labDockerHost(node, { name }) }));
    return { kind: 'lab', nodes: await Promise.all(nodes), onlyNode: undefined, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
