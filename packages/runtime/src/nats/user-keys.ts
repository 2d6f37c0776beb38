import { HivekeepError } from '@hivekeep/contracts';
import { nkeys } from '@nats-io/transport-node';

/** Makes the key pair of a bus user: the seed goes to the user, the public key into the server's configuration. */
export function createUserKeys(): { seed: string; publicKey: string } {
  const pair = nkeys.createUser();
  return { seed: new TextDecoder().decode(pair.getSeed()), publicKey: pair.getPublicKey() };
}

/** The public key of a seed. Throws `config/invalid` when it is none of a user. */
export function publicKeyOf(seed: string): string {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(seed.trim())).getPublicKey();
  } catch (cause) {
    throw new HivekeepError('config/invalid', 'expected the seed of a NATS user (SU…), found something else', { cause });
  }
}
