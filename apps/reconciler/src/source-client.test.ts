import type { AppSetAnswer } from '@hivekeep/contracts';
import { MemoryBroker, MemoryBus, silentLogger } from '@hivekeep/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SourceClient } from './source-client.ts';

it.each([
  ['git', true],
  ['unknown', false],
] as const)('takes an application set of mode %s for evidence: %s', async (mode, complete) => {
  const bus = new MemoryBus(new MemoryBroker(), silentLogger);
  onTestFinished(() => bus.close());
  const answer: AppSetAnswer = {
    mode,
    source: '',
    identity: '',
    revision: 'a1',
    digest: '',
    complete: true,
    applications: [],
    others: [],
  };
  vi.spyOn(bus, 'call').mockResolvedValue(answer);
  const asked = new SourceClient(bus, 'home').appSet({ home: true, have: undefined, evidence: true }, new AbortController().signal);
  expect(await asked).toEqual({ ...answer, complete });
});
