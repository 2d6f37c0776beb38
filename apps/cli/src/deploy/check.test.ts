import type { LiveNode, LiveService, LiveTask } from '@hivekeep/planner';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { checkInstallation, type SwarmFacts } from './check.ts';

const answers = Answers.parse({ image: 'hivekeep:1' });
const wanted = { services: ['gateway'], objects: ['hivekeep-ca-0123'] };
const node = (hostname: string, more: Partial<LiveNode> = {}) =>
  ({ id: hostname, hostname, state: 'ready', labels: {}, ...more }) as LiveNode; // what the check reads
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
  expect(checkInstallation(answers, wanted, well).filter(({ ok }) => !ok)).toEqual([]);
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
  const missing = checkInstallation(answers, wanted, { ...well, ...facts }).filter(({ ok }) => !ok);
  expect(missing.map((finding) => finding.what)).toEqual([what]);
  expect(missing[0]?.advice).toBeTruthy();
});
