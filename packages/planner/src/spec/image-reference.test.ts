import { expect, it } from 'vitest';
import { sameImage } from './image-reference.ts';

const digest = `@sha256:${'b'.repeat(64)}`;

it.each<[string, string, boolean]>([
  ['nginx', `nginx:latest${digest}`, true],
  ['docker.io/library/nginx:1.25', `nginx:1.25${digest}`, true],
  ['docker.io/library/nginx:1.25', `docker.io/library/nginx:1.25${digest}`, true],
  ['nginx', 'nginx', true],
  ['nginx', `nginx${digest}`, false],
  [`nginx${digest}`, `nginx${digest}`, true],
  [`nginx:1${digest}`, 'nginx:1', false],
  ['nginx:1', `nginx:2${digest}`, false],
  ['reg.example:5000/a/b', `reg.example:5000/a/b:latest${digest}`, true],
  ['docker.io/acme/app:1', `acme/app:1${digest}`, true],
  ['', '', true],
  ['nginx', '', false],
])('wanted %s, live %s: %s', (wanted, live, same) => {
  expect(sameImage(wanted, live)).toBe(same);
});
