import { contextual, type FunctionTable } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { bytesOf } from '../text/bytes.ts';
import type { Value } from '../values.ts';
import { basicFunctions } from './basics.ts';
import { caseFunctions } from './case.ts';
import { cryptoFunctions } from './crypto.ts';
import { dateFunctions } from './dates.ts';
import { dictFunctions } from './dicts.ts';
import { encodingFunctions } from './encodings.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { randomFunctions } from './random.ts';
import { regexFunctions } from './regexes.ts';
import { semverFunctions } from './semvers.ts';
import { stringFunctions } from './strings.ts';
import { webFunctions } from './web.ts';

/** Sprig 3.3.0's text functions without `env`, `expandenv` and `getHostByName`, and `toYaml`. */
export const sprigFunctions: FunctionTable = {
  ...basicFunctions,
  ...caseFunctions,
  ...cryptoFunctions,
  ...dateFunctions,
  ...dictFunctions,
  ...encodingFunctions,
  ...listFunctions,
  ...numberFunctions,
  ...randomFunctions,
  ...regexFunctions,
  ...semverFunctions,
  ...stringFunctions,
  ...webFunctions,
  toYaml: contextual(['any'], ({ meter, environment }, value) => {
    meter.chargeWalk(value);
    const text = writtenBy(environment.toYaml, value).replace(/\n+$/, '');
    meter.chargeBytes(text.length);
    return text;
  }),
};

/** What the caller's encoder refuses is an error of the call. */
function writtenBy(encode: (value: Value) => string, value: Value): string {
  try {
    return encode(value);
  } catch (error) {
    throw new CallFailure(error instanceof Error ? bytesOf(error.message) : 'the value cannot be written');
  }
}

const refusals: Readonly<Record<string, string>> = {
  env: 'a render does not see the environment; give the value with --set or in a values file',
  expandenv: 'a render does not see the environment; give the value with --set or in a values file',
  getHostByName: 'a render does not ask the network; put the address into the values',
  include: 'write {{ template "name" . }}, which prints in place, or build the text with a variable and printf',
  tpl: 'write the text into a template of the chart; values are not executed',
  required: 'write {{ if not .Values.x }}{{ fail "x is required" }}{{ end }}',
  fromYaml: 'give the value as YAML in the values file; they arrive parsed',
  lookup: 'a render does not see the swarm; put what it needs into the values',
};

/** Why a name is no function, and what to write instead. */
export function refusalOf(name: string): string {
  const advice = Object.hasOwn(refusals, name) ? `: ${refusals[name]}` : '';
  return `function ${JSON.stringify(name)} not defined${advice}`;
}
