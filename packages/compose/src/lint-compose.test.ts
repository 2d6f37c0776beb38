import { describe, expect, it } from 'vitest';
import { lintCompose } from './lint-compose.ts';
import { load, memoryReader, service } from './testing/memory-stack.ts';

const lint = (text: string) =>
  lintCompose({
    files: ['compose.yml'],
    reader: memoryReader({ 'compose.yml': text, empty: '' }),
    env: {},
    dialect: 'docker',
    stack: 'demo',
  });

describe('lint warns of', () => {
  it.each([
    ['ignored-key', service('privileged: true'), 'services.web.privileged'],
    ['healthcheck-word', service('healthcheck: {test: [pg_isready, -q]}'), 'services.web.healthcheck.test'],
    ['decimal-mode', `${service('secrets: [{source: s, mode: 400}]')}secrets: {s: {external: true}}\n`, 'services.web.secrets[0]'],
    ['port-taken', `${service('ports: ["80:80"]')}  api: {image: "a:1", ports: [{target: 1, published: 80}]}\n`, 'services.api.ports[0]'],
    ['port-range', service('ports: [{target: 70000}]'), 'services.web.ports[0]'],
    ['port-address', service('ports: ["127.0.0.1:80:80"]'), 'services.web.ports[0]'],
    [
      'start-first-host-port',
      service('ports: [{target: 1, mode: host}]', 'deploy: {update_config: {order: start-first}}'),
      'services.web.ports',
    ],
    ['mount-type', service('volumes: [{type: image, source: "a:1", target: /i}]'), 'services.web.volumes[0]'],
    ['value-refused', service('deploy: {restart_policy: {condition: always}}'), 'services.web.deploy.restart_policy.condition'],
    ['value-refused', service('deploy: {rollback_config: {failure_action: stop}}'), 'services.web.deploy.rollback_config.failure_action'],
    ['value-refused', service('deploy: {update_config: {max_failure_ratio: 20}}'), 'services.web.deploy.update_config.max_failure_ratio'],
    ['value-refused', service('deploy: {resources: {limits: {memory: "64"}}}'), 'services.web.deploy.resources.limits.memory'],
    ['value-refused', service('deploy: {resources: {reservations: {cpus: "0.0001"}}}'), 'services.web.deploy.resources.reservations.cpus'],
    ['value-refused', service('ports: ["80:80"]', 'deploy: {endpoint_mode: dnsrr}'), 'services.web.deploy.endpoint_mode'],
    ['value-refused', service('volumes: [/a, "/b:/a"]'), 'services.web.volumes[1]'],
    ['content-size', `${service()}configs: {c: {file: empty}}\n`, 'configs.c'],
    ['image-tag', 'services: {web: {image: nginx}}\n', 'services.web.image'],
    ['subnet', `${service()}networks: {n: {ipam: {config: [{subnet: 10.1.0.0/33}]}}}\n`, 'networks.n.ipam.config[0]'],
    ['name-too-long', `services: {${'w'.repeat(60)}: {image: "a:1"}}\n`, `services.${'w'.repeat(60)}`],
    ['external-name', `${service()}volumes: {v: {external: {name: x}}}\n`, 'volumes.v.external'],
    ['unset-variable', service('hostname: $H'), 'services.web.hostname'],
  ])('%s', async (rule, text, path) => {
    expect(await lint(text)).toEqual({
      errors: [],
      warnings: [{ rule, file: 'compose.yml', line: expect.any(Number), path, message: expect.any(String) }],
    });
  });
});

it('finds nothing in a file that is right', async () => {
  const text = service(
    'ports: ["80:80", "80:80/udp"]',
    'healthcheck: {test: [CMD, a]}',
    'secrets: [{source: s, mode: 0400}]',
    'deploy: {resources: {limits: {memory: 4m, cpus: "0.5"}}}',
  );
  expect(await lint(`${text}secrets: {s: {external: true}}\n`)).toEqual({ errors: [], warnings: [] });
});

it('gives every error of a file that is not', async () => {
  const { errors } = await lint(service('tty: 1', 'foo: 1'));
  expect(errors.map(({ path }) => path)).toEqual(['services.web.tty', 'services.web.foo']);
});

it('mistakes refuse an application that is strict', async () => {
  const files = { 'compose.yml': service('healthcheck: {test: [pg_isready]}') };
  expect((await load(files)).warnings).toMatchObject([{ rule: 'healthcheck-word' }]);
  await expect(load(files, { strict: true })).rejects.toMatchObject({ code: 'compose/invalid' });
});
