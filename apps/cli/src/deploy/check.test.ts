import type { LiveNode, LiveService, LiveTask } from '@hivekeep/planner';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { checkInstallation, type FolderFiles, type SwarmFacts } from './check.ts';

const answers = Answers.parse({ image: 'hivekeep:1' });
const files: FolderFiles = {
  stack: { services: ['gateway'], objects: ['hivekeep-ca-0123'], ports: [] },
  overlays: {
    'gateway.yml': { services: ['gateway'], objects: ['hivekeep-gateway-crt-0123'], ports: [{ service: 'gateway', port: 8443 }] },
  },
};
const node = (hostname: string, more: Partial<LiveNode> = {}) =>
  ({ id: hostname, hostname, state: 'ready', availability: 'active', platform: { os: 'linux' }, labels: {}, ...more }) as LiveNode; // what the check reads
const nats = node('n1', { labels: { 'hivekeep.nats': 'true' } });
const service = { id: 's1', spec: { Name: 'hivekeep_gateway', Mode: { Replicated: { Replicas: 2 } } } } as LiveService;
const task = (state: string, error = '') => ({ serviceId: 's1', desiredState: 'running', state, error }) as LiveTask;
const well: SwarmFacts = {
  nodes: [nats, node('n2')],
  services: [service],
  tasks: [task('running'), task('running')],
  objects: new Set(['hivekeep-ca-0123']),
};

test('nothing is missing of a whole installation', () => {
  expect(checkInstallation(answers, files, well).filter(({ ok }) => !ok)).toEqual([]);
});

test.each<[string, Partial<SwarmFacts>, string]>([
  ['no node has the label', { nodes: [node('n1')] }, 'expected 1 node with the label hivekeep.nats=true, found none'],
  ['two nodes have it', { nodes: [nats, { ...nats, hostname: 'n2' }] }, 'expected 1 node with the label hivekeep.nats=true, found n1, n2'],
  ['the node with it is down', { nodes: [{ ...nats, state: 'down' }] }, 'n1, which runs NATS, is not ready'],
  ['an object is not there', { objects: new Set() }, 'hivekeep-ca-0123 is not on the swarm'],
  ['a service is not there', { services: [] }, 'service hivekeep_gateway is not there'],
  [
    'a task does not run',
    { tasks: [task('running'), task('rejected', 'No such image')] },
    'hivekeep_gateway: 1 of 2 running: No such image',
  ],
  ['a service has no task', { tasks: [] }, 'hivekeep_gateway: 0 of 2 running'],
])('%s', (_, facts, what) => {
  const missing = checkInstallation(answers, files, { ...well, ...facts }).filter(({ ok }) => !ok);
  expect(missing.map((finding) => finding.what)).toEqual([what]);
  expect(missing[0]?.advice).toBeTruthy();
});

const lacks = (facts: Partial<SwarmFacts>) =>
  checkInstallation(answers, files, { ...well, ...facts }).flatMap(({ ok, what, advice }) => (ok ? [] : [{ what, advice }]));

test('of an overlay that the swarm uses, objects and the port must be there, and it is deployed again with the rest', () => {
  const objects = new Set(['hivekeep-ca-0123', 'hivekeep-gateway-crt-0123']);
  const publishing = (port: number) => [{ ...service, spec: { ...service.spec, EndpointSpec: { Ports: [{ PublishedPort: port }] } } }];
  const advice = 'docker stack deploy -c stack.yml -c gateway.yml hivekeep';
  const noPort = { what: 'hivekeep_gateway does not publish port 8443', advice };
  const noObject = { what: 'hivekeep-gateway-crt-0123 is not on the swarm', advice };
  expect(lacks({ objects, services: publishing(8443) })).toEqual([]);
  expect(lacks({ objects })).toEqual([noPort]);
  expect(lacks({ services: publishing(8443) })).toEqual([noObject]);
  expect(lacks({ services: publishing(9443) })).toEqual([noObject, noPort]);
});

test('a global service has a task on each ready and active node that its constraints admit', () => {
  const spec = {
    Name: 'hivekeep_gateway',
    Mode: { Global: {} },
    TaskTemplate: { Placement: { Constraints: ['node.platform.os == linux'] } },
  };
  const services = [{ id: 's1', spec } as LiveService];
  const on = (nodeId: string, state = 'running') => ({ ...task(state), nodeId });
  const others = [
    node('n3', { state: 'down' }),
    node('n4', { availability: 'drain' }),
    node('n5', { availability: 'pause' }),
    node('n6', { platform: { os: 'windows', architecture: 'x86_64' } }),
  ];
  const global = (tasks: LiveTask[]) => lacks({ services, nodes: [...well.nodes, ...others], tasks }).map(({ what }) => what);
  expect(global([on('n1'), on('n2')])).toEqual([]);
  expect(global([on('n1')])).toEqual(['hivekeep_gateway: 1 of 2 running, none on n2']);
  expect(global([on('n1'), on('n5')])).toEqual(['hivekeep_gateway: 2 of 2 running, none on n2']);
  expect(global([on('n1'), on('n2', 'starting')])).toEqual(['hivekeep_gateway: 1 of 2 running, none on n2']);
});
