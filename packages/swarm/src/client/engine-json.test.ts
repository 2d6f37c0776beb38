import { expect, test } from 'vitest';
import { engineBody } from './engine-json.ts';

test.each([
  ['{"Window":9223372036854775807}', '{"Window":9223372036854775807}'],
  ['{"a":[{"Delay":-9223372036854775808}]}', '{"a":[{"Delay":-9223372036854775807}]}'],
  ['{"n":12345678901234567000000}', '{"n":9223372036854775807}'],
  ['{"n":9007199254740991,"f":0.25,"t":true,"z":null,"s":"9223372036854775807"}', undefined],
])('%s can be sent again', (read, sent) => {
  expect(JSON.stringify(engineBody(JSON.parse(read)))).toBe(sent ?? read);
});
