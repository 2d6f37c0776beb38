import { resolve } from 'node:path';
import Docker from 'dockerode';
import { run } from './run.ts';

/** The image that every node of a lab has: a busybox whose command is `sh`. */
export const testImage = 'hivekeep-test/busybox:1';

const script = resolve(import.meta.dirname, '../../../test/lab/lab.sh');

export interface LabSize {
  nodes?: number;
  /** The first so many nodes are managers; 3 by default, 1 when there are fewer nodes. */
  managers?: number;
  /** A second swarm on the network of the run's lab: nodes of both reach each other. */
  beside?: boolean;
}

/**
 * A client of the engine behind a unix socket (a proxy's, say), without a timeout of its own. Its connections are not kept: one
 * that outlived its daemon would fail the first call to the next.
 */
export function engineClient(socketPath: string): Docker {
  return new Docker({ socketPath, headers: { connection: 'close' } });
}

/** One node of a lab: its engine, and what can happen to it. Every fault is done when its promise resolves. */
export interface LabNode {
  /** From 1. */
  readonly index: number;
  /** The host name, as the swarm lists it: `node1`. */
  readonly name: string;
  /** The engine's unix socket. */
  readonly socket: string;
  /** A client of this node's own engine, without a timeout of its own. */
  readonly docker: Docker;
  readonly manager: boolean;
  /** Its address on the switch. */
  readonly address: string;
  /** The node's link goes down: a partition. */
  cut(): Promise<void>;
  heal(): Promise<void>;
  /** SIGSTOP of the daemon: its socket takes connections and never answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** The daemon and all its containers stand still. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** SIGKILL of the daemon; containers go on. */
  crash(): Promise<void>;
  /** Power failure. */
  kill(): Promise<void>;
  /** After `crash` or `kill`: until the daemon answers. */
  start(): Promise<void>;
  /** Runs a program on the node and gives its stdout. */
  exec(...command: string[]): Promise<string>;
}

export interface Lab {
  readonly name: string;
  readonly nodes: readonly LabNode[];
  readonly managers: readonly LabNode[];
  /** @throws when the lab has no such node. Counts from 1. */
  node(index: number): LabNode;
  /** Loads a `docker save` archive on every node. */
  load(file: string): Promise<void>;
  /** Ends it. A lab beside another one has to end first. */
  down(): Promise<void>;
  /** Undoes every fault and waits until the swarm calls all nodes ready. */
  restore(): Promise<void>;
}

/**
 * The lab of this run: the one that HIVEKEEP_LAB names, else the checkout's own. It is brought up when it is down and stays
 * up afterwards (`./hivekeep test` takes its own down, `./hivekeep lab down` the checkout's); all its nodes are up.
 * @throws when it cannot be brought up (not root, say), or is there with another number of managers.
 */
export async function useLab({ nodes = 3, managers = nodes < 3 ? 1 : 3, beside = false }: LabSize = {}): Promise<Lab> {
  const labScript = scriptFor(beside ? await environmentBeside() : runEnvironment());
  const up = async () => void process.stdout.write(await labScript('up', String(nodes), String(managers)));
  await up();
  const all = await Promise.all(Array.from({ length: nodes }, (_, i) => describeNode(labScript, i + 1)));
  const found = all.filter((node) => node.manager).length;
  if (found !== managers) {
    throw new Error(`expected a lab with ${managers} managers, found one with ${found}: take it down with ./hivekeep lab down`);
  }
  return toLab(labScript, all, up);
}

/** The command line that runs a program in the network of the lab's switch, which reaches every node and is reached by all. */
export function labSwitch(...command: string[]): string[] {
  const assignments = Object.entries(runEnvironment()).map(([name, value]) => `${name}=${value}`);
  return ['env', ...assignments, script, 'exec', 'sw', ...command];
}

/** Runs lab.sh for one lab and gives its stdout. */
type LabScript = (...args: string[]) => Promise<string>;

/** How lab.sh is told which lab is meant. */
type LabEnvironment = Readonly<Record<string, string>>;

function runEnvironment(): LabEnvironment {
  const name = process.env.HIVEKEEP_LAB;
  return name ? { LAB_NAME: name } : {};
}

/** Its nodes have addresses from 31 on. */
async function environmentBeside(): Promise<LabEnvironment> {
  const [, name] = /^lab (\S+):/.exec(await scriptFor(runEnvironment())('status')) ?? [];
  if (name === undefined) throw new Error('expected a lab to be beside, found none');
  return { LAB_NAME: `${name}-b`, LAB_SWITCH: name, LAB_BASE: '30' };
}

function scriptFor(environment: LabEnvironment): LabScript {
  return (...args) => run(script, args, { env: { ...process.env, ...environment }, timeoutMs: 240_000 });
}

async function describeNode(labScript: LabScript, index: number): Promise<LabNode> {
  const host = (await labScript('env', String(index))).trim();
  const socket = host.slice(host.indexOf('unix://') + 'unix://'.length);
  const docker = engineClient(socket);
  const verb = (command: string) => async () => void (await labScript(command, String(index)));
  const info = await docker.info();
  return {
    index,
    name: info.Name,
    socket,
    docker,
    manager: info.Swarm.ControlAvailable,
    address: (await labScript('ip', String(index))).trim(),
    cut: verb('cut'),
    heal: verb('heal'),
    pause: verb('pause'),
    resume: verb('resume'),
    freeze: verb('freeze'),
    thaw: verb('thaw'),
    crash: verb('crash'),
    kill: verb('kill'),
    start: verb('start'),
    exec: (...command) => labScript('exec', String(index), ...command),
  };
}

function toLab(labScript: LabScript, nodes: LabNode[], restore: () => Promise<void>): Lab {
  return {
    name: process.env.HIVEKEEP_LAB ?? 'of the checkout',
    nodes,
    managers: nodes.filter((node) => node.manager),
    node: (index) => {
      const found = nodes[index - 1];
      if (!found) throw new Error(`the lab has ${nodes.length} nodes, asked for node ${index}`);
      return found;
    },
    load: async (file) => void (await labScript('load', file)),
    down: async () => void (await labScript('down')),
    restore,
  };
}
