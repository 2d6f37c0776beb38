import { labels } from '@hivekeep/application';
import type { PortConfig } from '@hivekeep/compose';
import { describe, expect, it } from 'vitest';
import { indexSnapshot } from '../snapshot-index.ts';
import { liveService, snapshot, spec } from '../testing/builders.ts';
import { objects } from '../testing/release-input.ts';
import { checkPorts } from './check-ports.ts';

const published = (name: string, port: PortConfig, stack = 'shop') =>
  spec(name, {}, { Labels: { [labels.stack]: stack }, EndpointSpec: { Ports: [port] } });
const web: PortConfig = { PublishedPort: 80, TargetPort: 8080, PublishMode: 'ingress', Protocol: 'tcp' };

function check(services: ReturnType<typeof spec>[], live: ReturnType<typeof spec>[] = []): string[] {
  const index = indexSnapshot(snapshot({ services: live.map((one) => liveService(one)) }));
  return checkPorts({ stack: 'shop', objects: objects({ services }), index }).map(({ path, message }) => `${path}: ${message}`);
}

describe('ports', () => {
  it.each([
    ['two services of one release', [published('a', web), published('b', web)], [], /b: the port 80\/tcp is published by the service a/],
    ['a service of another release', [published('a', web)], [published('x', web, 'blog')], /a: .*by the service x/],
    ['unset protocol and mode', [published('a', { PublishedPort: 80 }), published('b', web)], [], /80\/tcp/],
  ])('are refused for %s', (_, services, live, message) => {
    expect(check(services, live).join()).toMatch(message);
  });
  it.each([
    ['another protocol', [published('a', web), published('b', { ...web, Protocol: 'udp' })], []],
    ['the host mode', [published('a', web), published('b', { ...web, PublishMode: 'host' })], []],
    ['ports the swarm chooses', [published('a', { TargetPort: 1 }), published('b', { TargetPort: 1 })], []],
    ['what this release publishes already', [published('b', web)], [published('a', web)]],
  ])('are let through for %s', (_, services, live) => {
    expect(check(services, live)).toEqual([]);
  });
});
