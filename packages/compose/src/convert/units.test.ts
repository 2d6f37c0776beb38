import { describe, expect, it } from 'vitest';
import { effectiveCapabilities } from './capabilities.ts';
import { parseCpus } from './cpus.ts';
import { imageProblem, imageToSend } from './image-reference.ts';
import { float32 } from './wire.ts';

describe('CPUs', () => {
  it.each([
    ['0.5', 500_000_000],
    ['1/2', 500_000_000],
    ['0x1', 1_000_000_000],
    ['0x1.8p1', 3_000_000_000],
    ['010/2', 4_000_000_000],
    ['1_0', 10_000_000_000],
    ['-1', -1_000_000_000],
  ])('%s', (text, nano) => {
    expect(parseCpus(text)).toBe(nano);
  });

  it.each(['0,5', 'two', '50%', ' 1 ', '1/0', '1/3', '0.0000000001', '', '1__0'])('refuses %j', (text) => {
    expect(parseCpus(text)).toHaveProperty('error');
  });
});

describe('images', () => {
  it.each([
    ['nginx', 'nginx:latest'],
    ['docker.io/library/nginx', 'nginx:latest'],
    ['docker.io/team/app:1', 'team/app:1'],
    ['index.docker.io/team/app', 'team/app:latest'],
    ['localhost:5000/a', 'localhost:5000/a:latest'],
    [`nginx@sha256:${'a'.repeat(64)}`, `nginx@sha256:${'a'.repeat(64)}`],
    ['b'.repeat(64), 'b'.repeat(64)],
  ])('%s is sent as %s', (image, sent) => {
    expect(imageProblem(image)).toBeUndefined();
    expect(imageToSend(image)).toBe(sent);
  });

  it.each(['', 'library/Nginx', 'http://a', 'a b', 'a:', 'nginx@sha256:abc'])('refuses %j', (image) => {
    expect(imageProblem(image)).toEqual(expect.any(String));
  });
});

describe('capabilities', () => {
  it('are written in full, sorted, once, and added when also dropped', () => {
    expect(effectiveCapabilities(['net_admin', 'CAP_NET_ADMIN', 'chown'], ['CHOWN', 'kill'])).toEqual({
      add: ['CAP_CHOWN', 'CAP_NET_ADMIN'],
      drop: ['CAP_KILL'],
    });
  });

  it('ALL takes the place of the others, RESET is left out', () => {
    expect(effectiveCapabilities(['all', 'kill'], ['RESET', 'a'])).toEqual({ add: ['ALL'], drop: ['CAP_A'] });
  });
});

it('prints a ratio as the shortest decimal of a 32-bit float', () => {
  expect(float32(1 / 3)).toBe(0.33333334);
  expect(float32(0.1)).toBe(0.1);
});
