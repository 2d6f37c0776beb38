import { expect, test } from 'vitest';
import { buildOracle, hasGo } from './oracle.ts';
import { measureSpeed } from './speed.ts';

const MOST = { execute: 2, render: 3 };

test.skipIf(!(await hasGo()))(
  'sixty services are rendered in at most three times the time that Go takes, the template in twice (needs Go 1.24 or later)',
  { timeout: 600_000 },
  async () => {
    const oracle = await buildOracle();
    try {
      const { here, go } = await measureSpeed(oracle);
      expect(here.executeNs / go.executeNs).toBeLessThanOrEqual(MOST.execute);
      expect(here.renderNs / go.renderNs).toBeLessThanOrEqual(MOST.render);
    } finally {
      await oracle.remove();
    }
  },
);
