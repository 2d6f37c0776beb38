import { describe, expect, it } from 'vitest';
import { spec } from '../testing/builders.ts';
import { resolveReferences } from './resolve-references.ts';

describe('resolveReferences', () => {
  const file = { Name: 'x', UID: '0', GID: '0', Mode: 292 };
  const wanted = spec('shop_web', {
    Configs: [{ File: file, ConfigID: 'shop_site', ConfigName: 'shop_site' }],
    Secrets: [{ File: file, SecretID: 'shop_key', SecretName: 'shop_key' }],
    Privileges: { CredentialSpec: { Config: 'shop_site' }, NoNewPrivileges: false },
  });
  it('puts ids in place of names', () => {
    const ids = new Map([
      ['config/shop_site', 'c1'],
      ['secret/shop_key', 's1'],
    ]);
    expect(resolveReferences(wanted, ids).TaskTemplate.ContainerSpec).toMatchObject({
      Configs: [{ ConfigID: 'c1', ConfigName: 'shop_site' }],
      Secrets: [{ SecretID: 's1', SecretName: 'shop_key' }],
      Privileges: { CredentialSpec: { Config: 'c1' } },
    });
  });
  it('throws when one is gone', () => {
    expect(() => resolveReferences(wanted, new Map([['secret/shop_key', 's1']]))).toThrow(/config 'shop_site'/);
  });
});
