import { expect, it } from 'vitest';
import { nodesText } from './status-actions.ts';

it.each([
  ['complete', '1/2'],
  ['partial', '1/2 partial'],
  ['unknown', '1/2 unknown'],
  [undefined, '1/2'],
] as const)('nodes of which the coverage is %s', (coverage, text) => {
  const nodes = [true, false].map((covered, index) => ({ id: `n${index}`, hostname: `node-${index}`, covered }));
  expect(nodesText({ nodes, ...(coverage && { coverage }) })).toBe(text);
});
