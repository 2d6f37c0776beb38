import { HivekeepError } from '@hivekeep/contracts';
import { fromPlain, structOf, TemplateError, TemplateSet, utc } from '@hivekeep/gotemplate';
import { fuzz, nearly } from './lib/fuzz.ts';

const words = [
  ...['{{', '}}', '{{- ', ' -}}', '(', ')', ' | ', ' ', '\n', '.', '$', '$x', ' := ', ' = ', '"', '`', "'", '\\', '/*', '*/', '%'],
  ...[
    'if ',
    'else',
    'end',
    'range ',
    'with ',
    'define "x"',
    'template "x" .',
    'block "x" .',
    'break',
    'continue',
    'else if ',
    'else with ',
  ],
  ...[
    '.Values',
    '.Values.list',
    '.Values.map',
    '.Values.text',
    '.Values.nope',
    '$i, $v := ',
    'nil',
    'true',
    '1',
    '-2',
    '1.5',
    '0x1F',
    '"a"',
    '"%v"',
  ],
  ...[
    'printf ',
    'index ',
    'eq ',
    'and ',
    'or ',
    'len ',
    'quote ',
    'toJson ',
    'fromJson ',
    'toYaml ',
    'list ',
    'dict ',
    'set ',
    'merge ',
    'regexMatch ',
  ],
  ...[
    'regexReplaceAll ',
    'date ',
    'toDate ',
    'semverCompare ',
    'repeat ',
    'until ',
    'indent ',
    'snakecase ',
    'urlParse ',
    'trunc ',
    'slice ',
    'dig ',
  ],
  ...['{{ range .Values.list }}', '{{ end }}', '{{ $x := dict }}', '{{ if .Values.map }}', '{{ define "x" }}', '{{ template "x" . }}'],
];

const environment = {
  now: () => 0n,
  localZone: utc,
  randomBytes: (count: number) => new Uint8Array(count),
  crypto: {},
  toYaml: () => '',
};

await fuzz('templates', nearly(words), (text) => {
  const values = new Map<string, unknown>([
    ['list', [1n, 'a', null, 1.5]],
    ['map', new Map([['k', 'v']])],
    ['text', 'héllo'],
  ]);
  try {
    const root = structOf('fuzz.Root', { Values: fromPlain(values as Parameters<typeof fromPlain>[0]) });
    new TemplateSet(new Map([['t', text]])).render('t', root, { environment });
  } catch (error) {
    if (error instanceof TemplateError) throw new HivekeepError('chart/invalid', error.message, { cause: error });
    throw error;
  }
});
