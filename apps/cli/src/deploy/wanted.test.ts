import { expect, test } from 'vitest';
import { exampleFiles } from './example-files.ts';
import { wantedOf } from './wanted.ts';

const of = (file: string) => wantedOf(exampleFiles()[file] ?? '');

test('a stack wants its services, secrets and configs', () => {
  const { services, objects, ports } = of('stack.yml');
  expect(services).toEqual(['nats', 'source', 'reconciler', 'node-agent', 'gateway']);
  expect(objects).toEqual(expect.arrayContaining(['hivekeep-admin-token-0123456789ab', 'hivekeep-nats-conf-0123456789ab']));
  expect(ports).toEqual([]);
});

test('an overlay wants its ports, too', () => {
  expect(of('gateway.yml')).toEqual({
    services: ['gateway'],
    objects: ['hivekeep-gateway-key-0123456789ab', 'hivekeep-gateway-crt-0123456789ab'],
    ports: [{ service: 'gateway', port: 8443 }],
  });
  expect(of('hub.yml')).toEqual({ services: ['nats'], objects: [], ports: [{ service: 'nats', port: 4222 }] });
});
