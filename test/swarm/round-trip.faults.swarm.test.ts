import { convertCase } from '@hivekeep/compose';
import { DockerSwarm } from '@hivekeep/swarm';
import { type RecordedCase, readCorpusCases, readPackedCases } from '@hivekeep/test-conformance';
import { findDockerCli, labCorner, tempDir, useLab } from '@hivekeep/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { LiveStack } from './support/live-stack.ts';
import { pauseNodes } from './support/paused-nodes.ts';
import { compareWithWanted, roundTrip, type Trip } from './support/round-trip.ts';

const { HIVEKEEP_CORPUS: corpus, HIVEKEEP_TEST_LONG: long } = process.env;
const docker = await findDockerCli();
/** Every so many cases are enough for a normal run. */
const STRIDE = long ? 1 : 2;

/** Cases that the docker CLI accepts: the project's own, and those of other people that a corpus has. */
async function acceptedCases(): Promise<RecordedCase[]> {
  const own = await readPackedCases('cases');
  const names = new Set(own.map(({ name }) => name));
  const others = corpus ? (await readCorpusCases(corpus)).filter(({ name }) => !names.has(name)) : [];
  return [...own, ...others].filter(({ expected }) => expected !== undefined).filter((_, index) => index % STRIDE === 0);
}

async function allTrips(): Promise<Trip[]> {
  await using corner = labCorner(await useLab());
  await using _paused = await pauseNodes(corner.lab);
  await using folder = await tempDir();
  await using config = await tempDir();
  const { socket } = corner.lab.node(1);
  const swarm = new DockerSwarm({ endpoint: { kind: 'socket', path: socket } });
  const stack = new LiveStack(swarm, corner.prefix);
  const deploy = docker === undefined ? undefined : { program: docker, config: config.path, socket, stack: corner.prefix };
  const trips: Trip[] = [];
  for (const recorded of await acceptedCases()) {
    const trip = await roundTrip(recorded, { swarm, stack, deploy, folder: folder.path });
    if (trip) trips.push(trip);
  }
  swarm.close();
  return trips;
}

/** Cases with something to tell, and what it is. */
function wrong(trips: readonly Trip[], of: (trip: Trip) => readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(trips.filter((trip) => of(trip).length > 0).map((trip) => [trip.name, of(trip)]));
}

/** Members that the compose specification has and the docker CLI does not send, as far as a swarm keeps them. */
const SPEC_FILE = `
services:
  web:
    image: x:1
    depends_on: {db: {condition: service_started}}
    dns_opt: [use-vc]
    group_add: [mail, 44]
    mem_limit: 64m
    oom_score_adj: 500
    pids_limit: 20
    security_opt: ["no-new-privileges:true", "seccomp=unconfined", "apparmor=unconfined", "label=disable"]
    shm_size: 2m
    tmpfs: ["/run:size=1m,mode=1777"]
    ports: [{target: "80", published: ""}]
    secrets: [{source: key, target: key, mode: "0400"}]
    configs: [text]
  db: {image: "x:1", networks: [back]}
networks: {back: {driver: bridge, ipam: {config: [{subnet: 10.91.0.0/24, gateway: 10.91.0.1, ip_range: 10.91.0.0/25}]}}}
configs: {text: {content: inline}}
secrets: {key: {environment: KEY}}
`;

test('what the dialect spec alone has is kept by an engine, or said to be too late for it', async () => {
  await using corner = labCorner(await useLab());
  await using _paused = await pauseNodes(corner.lab);
  const swarm = new DockerSwarm({ endpoint: { kind: 'socket', path: corner.lab.node(1).socket } });
  const stack = new LiveStack(swarm, corner.prefix);
  const reader = { read: async () => Buffer.from(SPEC_FILE) };
  const place = { reader, files: ['compose.yml'], workingDir: '/', stack: corner.prefix };
  const objects = await convertCase({ ...place, env: { KEY: 'k' }, dialect: 'spec' });
  if ('error' in objects) throw objects.error;
  await stack.create(objects);
  expect(await compareWithWanted(objects, await stack.read(), swarm)).toEqual({ changes: [], drift: [] });
  swarm.close();
});

describe('compose files on a real engine', () => {
  let trips: Trip[] = [];
  beforeAll(async () => {
    trips = await allTrips();
  }, 900_000);

  test('at least 200 of them are taken', () => {
    expect(trips.filter(({ taken }) => taken).length).toBeGreaterThanOrEqual(200);
  });

  test('what was written is read back without a change to write', () => {
    expect(wrong(trips, ({ changes }) => changes)).toEqual({});
  });

  test('and without drift', () => {
    expect(wrong(trips, ({ drift }) => drift)).toEqual({});
  });

  test.runIf(docker)('docker stack deploy makes the same services of them, and is refused where we are', () => {
    expect(wrong(trips, ({ differences }) => differences)).toEqual({});
  });
});
