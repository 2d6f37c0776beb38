import { Spec } from '@hivekeep/contracts';

/** A valid application with a compose source; what the test is about goes into `changes`. */
export function aSpec(changes: Partial<Spec> = {}): Spec {
  return Spec.parse({
    name: 'shop',
    source: { repoURL: 'https://git.example.invalid/shop.git', revision: 'main', compose: { files: ['compose.yaml'] } },
    ...changes,
  });
}
