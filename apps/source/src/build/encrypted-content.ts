import { HivekeepError } from '@hivekeep/contracts';

interface Envelope {
  readonly name: string;
  /** At the start of the file, after white space. */
  readonly prefix: string;
}

/** How encrypted files begin; each tool documents its own header. */
const ENVELOPES: readonly Envelope[] = [
  { name: 'git-crypt', prefix: '\0GITCRYPT\0' },
  { name: 'Ansible Vault', prefix: '$ANSIBLE_VAULT;' },
  { name: 'age', prefix: '-----BEGIN AGE ENCRYPTED FILE-----' },
  { name: 'age', prefix: 'age-encryption.org/v1' },
  { name: 'PGP', prefix: '-----BEGIN PGP MESSAGE-----' },
];
/** What SOPS puts in the place of each value, wherever it stands; the key `sops:` alone says nothing. */
const SOPS_VALUE = 'ENC[AES256_GCM,data:';
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';
const LONGEST_PREFIX = 64;

/**
 * Refuses a file that would be deployed as ciphertext, or as a pointer to what is not here: throws `source/unsupported`, which names the
 * file and what it is, never its content.
 */
export function refuseEncrypted(path: string, bytes: Uint8Array): void {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = content.subarray(firstNonSpace(content)).subarray(0, LONGEST_PREFIX).toString('latin1');
  const envelope = ENVELOPES.find(({ prefix }) => start.startsWith(prefix))?.name ?? (content.includes(SOPS_VALUE) ? 'SOPS' : undefined);
  if (envelope !== undefined)
    throw new HivekeepError(
      'source/unsupported',
      `${JSON.stringify(path)} is encrypted (${envelope}) and nothing here decrypts it; it is not deployed as it is`,
    );
  if (start.startsWith(LFS_POINTER))
    throw new HivekeepError('source/unsupported', `${JSON.stringify(path)} is a Git LFS pointer; LFS files are not read`);
}

function firstNonSpace(content: Buffer): number {
  let index = 0;
  while (index < content.length && [0x20, 0x09, 0x0a, 0x0d, 0x0b, 0x0c].includes(content[index] as number)) index += 1;
  return index;
}
