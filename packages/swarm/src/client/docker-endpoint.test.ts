import { describe, expect, test } from 'vitest';
import { dockerEndpoint } from './docker-endpoint.ts';

describe('a Docker host', () => {
  test.each([
    [undefined, { kind: 'socket', path: '/var/run/docker.sock' }],
    ['', { kind: 'socket', path: '/var/run/docker.sock' }],
    ['unix:///run/d.sock', { kind: 'socket', path: '/run/d.sock' }],
    ['tcp://manager.example:2375', { kind: 'tcp', host: 'manager.example', port: 2375 }],
    ['tcp://[::1]:2375/', { kind: 'tcp', host: '[::1]', port: 2375 }],
  ])('%j', (text, endpoint) => {
    expect(dockerEndpoint(text)).toEqual(endpoint);
  });

  test.each(['ssh://me@host', 'tcp://host', 'host:2375', 'tcp://user:pw@host:1', 'npipe:////./pipe/x'])('%j is refused', (text) => {
    expect(() => dockerEndpoint(text)).toThrow(expect.objectContaining({ code: 'usage/invalid' }));
  });

  test('certificates that are missing are named', () => {
    expect(() => dockerEndpoint('tcp://host:2376', '/nowhere')).toThrow(/ca\.pem, cert\.pem and key\.pem in \/nowhere/);
  });
});
