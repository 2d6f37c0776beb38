// biome-ignore-all lint/suspicious/noTemplateCurlyInString: compose files hold these

import { expect, it } from 'vitest';
import { convertFiles } from './testing/memory-stack.ts';

/** Rules of a router and the like: many short texts, most of them with a reference. */
const many = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, `value of \${TAG} ${index}`]));
const services = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [
    `s${index}`,
    {
      image: 'registry.example.com/team/app:${TAG}',
      environment: many(20, 'VAR_'),
      ports: ['80', `${8000 + index}:80`],
      volumes: ['data:/d', './x:/x:ro'],
      depends_on: index > 0 ? ['s0'] : [],
      healthcheck: { test: ['CMD', 'x'], interval: '10s' },
      logging: { options: { 'max-size': '10m' } },
      deploy: { labels: many(15, 'traefik.'), resources: { limits: { cpus: '0.5', memory: '64m' } } },
    },
  ]),
);
const files = { 'compose.yml': JSON.stringify({ services, volumes: { data: {} } }, null, 1) };

/** Milliseconds of the processor, the least of many runs: the first ones compile, and a busy machine disturbs others. */
async function leastTime(dialect: 'docker' | 'spec', enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 60 && least >= enough; run++) {
    const start = process.cpuUsage();
    const result = await convertFiles(files, { dialect, env: { TAG: '1' } });
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
    expect(result).not.toHaveProperty('error');
  }
  return least;
}

it.each(['docker', 'spec'] as const)('60 services are converted within 30 ms in the dialect %s', { timeout: 60_000 }, async (dialect) => {
  expect(await leastTime(dialect, 30)).toBeLessThan(30);
});
