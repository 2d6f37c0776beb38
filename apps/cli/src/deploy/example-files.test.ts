import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../checkout.ts';
import { exampleFiles } from './example-files.ts';

/** Made anew by `./hivekeep dev deploy-example`. */
test.each(Object.entries(exampleFiles()))('deploy/example/%s is what deploy init makes', (name, text) => {
  expect(readFileSync(join(checkout, 'deploy/example', name), 'utf8')).toBe(text);
});
