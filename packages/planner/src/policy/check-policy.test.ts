import type { ContainerSpec, Mount, ServiceSpec, StackObjects, TaskSpec, VolumeUse } from '@hivekeep/compose';
import type { Allow } from '@hivekeep/contracts';
import { describe, expect, it } from 'vitest';
import { STACK_LABEL } from '../labels.ts';
import { indexSnapshot } from '../snapshot-index.ts';
import { snapshot, spec } from '../testing/builders.ts';
import { checkDocument } from './check-document.ts';
import { checkPolicy } from './check-policy.ts';
import { checkSizes } from './check-sizes.ts';
import type { OwnStack } from './policy-input.ts';

const own: OwnStack = {
  namespace: 'hive',
  secrets: new Set(['hive-token', 'mounted-token']),
  configs: new Set(['apps']),
  volumes: new Set(['hive-data']),
};
const nothing: StackObjects = {
  networks: [],
  secrets: [],
  configs: [],
  services: [],
  externals: { networks: [], secrets: [], configs: [] },
  volumes: [],
  waves: {},
};
const index = indexSnapshot(
  snapshot({
    configs: [{ id: 'c', name: 'plain', version: 1, labels: { [STACK_LABEL]: 'hive' }, createdAt: 0 }],
    secrets: [{ id: 's', name: 'shop_x_key', version: 1, labels: { [STACK_LABEL]: 'shop_x' }, createdAt: 0 }],
  }),
);

function check(objects: Partial<StackObjects>, allow: Allow = {}, stack = 'shop'): string[] {
  return checkPolicy({ stack, objects: { ...nothing, ...objects }, allow, own, index }).map(({ rule, message }) => `${rule} ${message}`);
}
const service = (container: ContainerSpec, template: TaskSpec = {}): Partial<StackObjects> => ({
  services: [spec('shop_web', container, { template })] as ServiceSpec[],
});
const bind = (source: string, type = 'bind'): Partial<StackObjects> => service({ Mounts: [{ Type: type, Source: source, Target: '/t' }] });
const secret = (name: string): Partial<StackObjects> =>
  service({ Secrets: [{ SecretID: name, SecretName: name, File: { Name: 'renamed', UID: '0', GID: '0', Mode: 292 } }] });
const config = (name: string): Partial<StackObjects> => service({ Configs: [{ ConfigID: name, ConfigName: name, Runtime: {} }] });
const volume = (name: string, rest: Partial<VolumeUse> = {}): Partial<StackObjects> => ({
  volumes: [{ name, external: false, service: 'shop_web', path: '/d', ...rest }],
});
const localBind = (device: string, rest: Record<string, string> = {}) =>
  volume('shop_v', { driver: 'local', driverOpts: { type: 'none', o: 'bind', device, ...rest } });
const disguised = (mount: Partial<Mount>) => service({ Mounts: [{ Type: 'volume', Source: 'shop_v', Target: '/t', ...mount }] });

describe('checkPolicy refuses', () => {
  it.each<[string, Partial<StackObjects>, Allow, RegExp]>([
    ['B03 a relative bind', bind('./d'), { hostPaths: ['/'] }, /host-path.*not an absolute path/],
    ['B03 a home bind', bind('~/d'), { hostPaths: ['/'] }, /host-path/],
    ['B03 a drive', bind('C:\\d'), { hostPaths: ['/'] }, /host-path/],
    ['B03 a UNC path', bind('\\\\s\\x'), { hostPaths: ['/'] }, /host-path/],
    ['B04 the socket', bind('/var/run/docker.sock'), {}, /allow\.hostPaths/],
    ['B04 the socket under another entry', bind('/var/run/docker.sock'), { hostPaths: ['/srv/app'] }, /allow\.hostPaths/],
    ['H04 a parent of what is allowed', bind('/var/run'), { hostPaths: ['/var/run/docker.sock'] }, /allow\.hostPaths/],
    ['a sibling with the same start', bind('/srv/application'), { hostPaths: ['/srv/app'] }, /allow\.hostPaths/],
    ['B05 a pipe to the socket', bind('/var/run/docker.sock', 'npipe'), {}, /host-path/],
    ['B05 a way around', bind('/var/lib/../run/docker.sock'), { hostPaths: ['/var/lib'] }, /host-path/],
    ['a bind in capitals', bind('/etc', 'BIND'), {}, /host-path/],
    ['a mount without a type, which is a bind', bind('/etc', ''), {}, /host-path/],
    ['B07 the token of the controller', secret('hive-token'), { secrets: ['hive-token'] }, /own-object.*whatever it is allowed/],
    ['B09 a secret file of the controller', secret('mounted-token'), { secrets: ['mounted-token'] }, /own-object/],
    ['B07 a declared name, not mounted', { secrets: [{ Name: 'hive-token' }] }, { secrets: ['hive-token'] }, /own-object/],
    ['B08 a release record', config('swarmcli.release.shop.v1'), { configs: ['swarmcli.release.shop.v1'] }, /reserved-name/],
    ['B08 a lease, declared', { configs: [{ Name: 'Hivekeep.lease.default' }] }, { configs: ['Hivekeep.lease.default'] }, /reserved-name/],
    ['B10 a secret of another stack', secret('blog_key'), {}, /allow\.secrets/],
    ['B10 a config of another stack', config('blog_site'), {}, /allow\.configs/],
    ['B10 a volume of another stack', disguised({ Source: 'blog_data' }), {}, /allow\.volumes/],
    ['B10 an external network', { externals: { networks: ['edge'], secrets: [], configs: [] } }, {}, /allow\.networks/],
    ['the network of the host', service({}, { Networks: [{ Target: 'host' }] }), {}, /allow\.networks/],
    ['a stack whose name ours begins with', secret('shop_x_key'), {}, /allow\.secrets/],
    ['B11 the volume of the controller', disguised({ Source: 'hive-data' }), { volumes: ['hive-data'] }, /own-object/],
    ['H05 the same by name', volume('hive-data'), { volumes: ['hive-data'] }, /own-object/],
    [
      'B11 a network of the controller',
      service({}, { Networks: [{ Target: 'hive_default' }] }),
      { networks: ['hive_default'] },
      /own-object/,
    ],
    ['a config that carries the label of our stack', config('plain'), { configs: ['plain'] }, /own-object/],
    ['a credential spec of another stack', service({ Privileges: { CredentialSpec: { Config: 'blog_spec' } } }), {}, /allow\.configs/],
    ['11.9 a local volume that is a bind', localBind('/etc'), {}, /allow\.hostPaths/],
    ['11.9 a bind flag on a network file system', localBind('/etc', { type: 'nfs', o: 'addr=1.2.3.4,bind' }), {}, /allow\.hostPaths/],
    [
      '11.9 an overlay over the root',
      localBind('overlay', { type: 'overlay', o: 'lowerdir=/:/usr,upperdir=/tmp/x' }),
      {},
      /allow\.hostPaths|absolute/,
    ],
    ['11.9 a block device', localBind('/dev/sda1', { type: 'ext4', o: '' }), {}, /allow\.hostPaths/],
    [
      '11.9 driver options of a mount',
      disguised({ VolumeOptions: { DriverConfig: { Name: 'local', Options: { type: 'none', o: 'rbind', device: '/' } } } }),
      {},
      /allow\.hostPaths/,
    ],
    [
      '11.9 a plugin given a path',
      volume('shop_v', { driver: 'local-persist', driverOpts: { mountpoint: '/etc' } }),
      {},
      /allow\.hostPaths/,
    ],
    [
      'a log driver given a socket',
      service({}, { LogDriver: { Name: 'fluentd', Options: { 'fluentd-address': 'unix:///run/docker.sock' } } }),
      {},
      /allow\.hostPaths/,
    ],
    ['a template in a bind', bind('/srv/{{index .Service.Labels "x"}}'), { hostPaths: ['/srv'] }, /template/],
    [
      'a template in driver options',
      localBind('{{.Service.Name}}', { type: 'nfs', o: 'addr=1.2.3.4' }),
      { hostPaths: ['/srv'] },
      /template/,
    ],
    ['a volume whose name is a template', disguised({ Source: '{{.Service.Labels.x}}' }), {}, /allow\.volumes/],
    ['a cluster volume of another stack', disguised({ Type: 'cluster', Source: 'blog_data' }), {}, /allow\.volumes/],
    ['a capability that opens the node', service({ CapabilityAdd: ['CAP_SYS_ADMIN'] }), { hostPaths: ['/srv'] }, /capability/],
    ['seccomp turned off', service({ Privileges: { Seccomp: { Mode: 'unconfined' } } }), { hostPaths: ['/srv'] }, /confinement.*seccomp/],
    ['AppArmor turned off', service({ Privileges: { AppArmor: { Mode: 'disabled' } } }), {}, /confinement.*apparmor/],
    ['SELinux turned off', service({ Privileges: { SELinuxContext: { Disable: true } } }), {}, /confinement.*label/],
    ['all capabilities', service({ CapabilityAdd: ['ALL'] }), {}, /capability/],
    ['a network driver past the overlay', { networks: [{ Name: 'shop_n', Driver: 'macvlan' }] }, {}, /network-driver/],
    ['a label of controllers', { configs: [{ Name: 'shop_c', Labels: { 'com.hivekeep.type': 'intent' } }] }, {}, /reserved-label/],
  ])('%s', (_, objects, allow, message) => {
    expect(check(objects, allow).join('\n')).toMatch(message);
  });

  it('B13 the stack of the controller', () => {
    expect(check({}, { hostPaths: ['/'] }, 'hive')).toEqual([expect.stringContaining('policy/own-stack')]);
  });
});

describe('checkPolicy permits', () => {
  it.each<[string, Partial<StackObjects>, Allow]>([
    ['B04 the socket by its own entry', bind('/var/run/docker.sock'), { hostPaths: ['/var/run/docker.sock'] }],
    ['B04 the socket by a parent', bind('/var/run/docker.sock'), { hostPaths: ['/var/run'] }],
    ['any path by the root', bind('/etc//x/./y'), { hostPaths: ['/'] }],
    ['B10 names of its own', { ...secret('shop_key'), networks: [{ Name: 'shop_default' }], volumes: [] }, {}],
    ['an allowed name', config('blog_site'), { configs: ['blog_site'] }],
    ['a network file system', localBind(':/export', { type: 'nfs', o: 'addr=1.2.3.4,rw' }), {}],
    ['a plain local volume', volume('shop_data', { driver: 'local' }), {}],
    ['a local bind that is allowed', localBind('/srv/data'), { hostPaths: ['/srv'] }],
    ['an anonymous volume', disguised({ Source: '' }), {}],
    [
      'confinement as the docker CLI sends it',
      service({ Privileges: { CredentialSpec: null, SELinuxContext: null, NoNewPrivileges: true, Seccomp: { Mode: 'default' } } }),
      {},
    ],
    ['a harmless capability', service({ CapabilityAdd: ['CAP_NET_BIND_SERVICE'] }), {}],
  ])('%s', (_, objects, allow) => {
    expect(check(objects, allow)).toEqual([]);
  });
});

describe('checkDocument and checkSizes', () => {
  it('B06 refuses files that survived, in a fixed order', () => {
    const document = {
      services: { b: { env_file: 'x' }, a: {} },
      secrets: { z: { file: '/run/secrets/t' } },
      configs: { c: { file: '../x' }, n: null },
    };
    expect(checkDocument(document).map(({ path }) => path)).toEqual(['configs.c.file', 'secrets.z.file', 'services.b.env_file']);
    expect(checkDocument({ services: 'no' })).toEqual([]);
  });
  it('H24 refuses what a swarm would not take', () => {
    const big = { ...nothing, configs: [{ Name: 'shop_c', Data: Buffer.alloc(600 * 1024).toString('base64') }] };
    expect(checkSizes({ objects: big }, '1.41')).toHaveLength(1);
    expect(checkSizes({ objects: big }, '1.51')).toHaveLength(0);
    const huge = { ...nothing, services: [spec('shop_web', { Env: ['A'.repeat(2 << 20)] })] };
    expect(checkSizes({ objects: huge }, '1.51')).toHaveLength(1);
  });
});
