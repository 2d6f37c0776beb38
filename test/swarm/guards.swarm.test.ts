import { labels } from '@hivekeep/application';
import { eventually, type LabCorner, labCorner, useLab } from '@hivekeep/testkit';
import { expect, test } from 'vitest';
import type { AppDeclaration } from './support/app-repository.ts';
import { startController } from './support/controller.ts';
import { sleeper, stackFile } from './support/stack-file.ts';

/** What an application tries, what is allowed to it, and what the refusal says. */
interface Attempt {
  readonly service?: object;
  readonly rest?: object;
  readonly allow?: AppDeclaration['allow'];
  readonly says: RegExp;
}

const idle = { ...sleeper, deploy: { replicas: 0 } };

/** `stack`: another stack that runs; `own`: the stack that stands for the controller's. */
function attempts(stack: string, own: string): Record<string, Attempt> {
  const external = (name: string) => ({ [name]: { external: true } });
  return {
    socket: { service: { volumes: ['/var/run/docker.sock:/var/run/docker.sock'] }, says: /docker\.sock/ },
    elsewhere: {
      service: { volumes: ['/var/run/docker.sock:/d'] },
      allow: { hostPaths: ['/srv'] },
      says: /docker\.sock/,
    },
    disguise: {
      service: { volumes: ['data:/data'] },
      rest: { volumes: { data: { driver_opts: { type: 'none', o: 'bind', device: '/etc' } } } },
      says: /\/etc/,
    },
    relative: { service: { volumes: ['./data:/data'] }, says: /'\.\/data' is not an absolute path/ },
    'foreign-config': { service: { configs: [`${stack}_conf`] }, rest: { configs: external(`${stack}_conf`) }, says: /allow\.configs/ },
    'foreign-volume': { service: { volumes: [`${stack}_data:/d`] }, rest: { volumes: external(`${stack}_data`) }, says: /allow\.volumes/ },
    'own-secret': {
      service: { secrets: [`${own}_token`] },
      rest: { secrets: external(`${own}_token`) },
      allow: { secrets: [`${own}_token`] },
      says: /belongs to the controller itself/,
    },
    record: {
      service: { configs: ['r'] },
      rest: { configs: { r: { name: 'swarmcli.release.x.v1', external: true } } },
      allow: { configs: ['swarmcli.release.x.v1'] },
      says: /belong to controllers/,
    },
  };
}

async function standIn(corner: LabCorner, stack: string): Promise<string> {
  const { docker } = corner;
  const stackLabel = { [labels.stack]: stack };
  const Data = Buffer.from('x').toString('base64');
  await docker.createConfig({ Name: `${stack}_conf`, Labels: stackLabel, Data });
  const secret = await docker.createSecret({ Name: `${stack}_token`, Labels: stackLabel, Data });
  const { image, command, init } = sleeper;
  await docker.createService({
    Name: `${stack}_main`,
    Labels: stackLabel,
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Command: command,
        Init: init,
        Secrets: [{ SecretID: secret.id, SecretName: `${stack}_token`, File: { Name: 't', UID: '0', GID: '0', Mode: 292 } }],
      },
      Placement: { Constraints: [`node.hostname==${corner.lab.node(1).name}`] },
    },
  });
  return eventually(async () => {
    const [container] = await docker.listContainers({ filters: { label: [`com.docker.swarm.service.name=${stack}_main`] } });
    return container?.Id.slice(0, 12) ?? false;
  });
}

test('refuses before any write what reaches past the release, and says what would allow it', async () => {
  await using corner = labCorner(await useLab());
  const [other, own] = [corner.name('other'), corner.name('own')];
  await standIn(corner, other);
  await using controller = await startController(corner, { hostname: await standIn(corner, own) });
  const tried = Object.entries(attempts(other, own)).map(([name, attempt]) => ({ app: corner.name(name), ...attempt }));
  const taken: AppDeclaration[] = [
    { name: corner.name('squatter'), files: ['idle.yaml'], compose: { release: other } },
    { name: corner.name('usurper'), files: ['idle.yaml'], compose: { release: own } },
  ];
  const files = tried.map(({ app, service, rest }) => [`${app}.yaml`, stackFile({ web: { ...idle, ...service } }, rest)] as const);
  await controller.declare([...tried.map(({ app, allow }) => ({ name: app, ...(allow && { allow }) })), ...taken], {
    ...Object.fromEntries(files),
    'idle.yaml': stackFile({ web: idle }),
  });
  for (const { app, says } of tried) {
    const { code, error } = await controller.sync(app);
    expect.soft({ app, code, error }).toEqual({ app, code: 'policy/refused', error: expect.stringMatching(says) });
  }
  expect.soft((await controller.sync(corner.name('squatter'))).error).toMatch(/already runs services that no release record covers/);
  expect.soft((await controller.sync(corner.name('usurper'))).error).toMatch(/is the stack this controller runs in/);
  expect(controller.objectWrites()).toEqual([]);
});

test('lets through what the application set allows', async () => {
  await using corner = labCorner(await useLab());
  await using controller = await startController(corner);
  const [app, other] = [corner.name('app'), corner.name('other')];
  await standIn(corner, other);
  const file = stackFile(
    { web: { ...idle, volumes: ['/var/run/docker.sock:/d'], configs: [`${other}_conf`] } },
    { configs: { [`${other}_conf`]: { external: true } } },
  );
  const allow = { hostPaths: ['/var/run/docker.sock'], configs: [`${other}_conf`] };
  await controller.declare([{ name: app, allow }], { [`${app}.yaml`]: file });
  expect((await controller.sync(app)).error).toBeUndefined();
  const { Spec: spec } = await corner.docker.getService(`${app}_web`).inspect();
  expect(spec.TaskTemplate.ContainerSpec.Mounts).toMatchObject([{ Type: 'bind', Source: '/var/run/docker.sock' }]);
});
