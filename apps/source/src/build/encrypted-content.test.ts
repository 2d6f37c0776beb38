import { describe, expect, it } from 'vitest';
import { refuseEncrypted } from './encrypted-content.ts';

describe('files that would be deployed as ciphertext', () => {
  it.each([
    ['git-crypt', '\0GITCRYPT\0\u0001\u0002'],
    ['Ansible Vault', '\n $ANSIBLE_VAULT;1.1;AES256\n6132'],
    ['age', '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl'],
    ['age', 'age-encryption.org/v1\n-> X25519'],
    ['PGP', '  -----BEGIN PGP MESSAGE-----\n'],
    ['SOPS', 'db:\n  password: ENC[AES256_GCM,data:Tr7o,iv:1=,tag:k=,type:str]\nsops:\n  version: 3.9.0\n'],
    ['Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n'],
  ])('are refused by the name of what they are: %s', (name, text) => {
    const refuse = () => refuseEncrypted('deploy/app.env', Buffer.from(text, 'latin1'));
    expect(refuse).toThrowError(expect.objectContaining({ code: 'source/unsupported', message: expect.stringContaining(name) }));
    expect(refuse).toThrowError(/"deploy\/app.env"/);
  });

  it.each([
    ['a key named sops alone', 'sops:\n  version: 3.9.0\n'],
    ['a PGP public key', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\n'],
    ['the header inside the text', 'see $ANSIBLE_VAULT; for more'],
    ['nothing', ''],
  ])('are not: %s', (_, text) => {
    expect(() => refuseEncrypted('a', Buffer.from(text))).not.toThrow();
  });
});
