import { expect, test } from 'vitest';
import { TemplateError } from './failure.ts';
import { fromPlain } from './from-plain.ts';
import { functionNames, TemplateSet } from './template-set.ts';
import { fixedEnvironment, renderText } from './testing/render-text.ts';

function failureOf(run: () => unknown): TemplateError {
  try {
    run();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test.for([
  ['a: {{ .Values.x }}\nb: {{ upper 3 }}', 2, 13, '3', 'template/execution', /expected string/],
  ['{{ .Nope }}', 1, 4, '.Nope', 'template/execution', /can't evaluate field Nope/],
  ['\n\n  {{ fail "no luck" }}', 3, 6, 'fail', 'template/execution', /no luck/],
  ['{{ set .Values.none "a" 1 }}', 1, 4, 'set', 'template/execution', /error calling set: assignment to entry in nil map/],
  ['{{ index .Values.list 9 }}', 1, 4, 'index', 'template/execution', /error calling index/],
  ['{{ if true }}', 1, 14, '', 'template/syntax', /\{\{end\}\} is missing/],
  ['x\n{{ nosuch }}', 2, 4, '', 'template/syntax', /function "nosuch" not defined/],
] as const)('%j: the error says where', ([template, line, column, action, code, reason]) => {
  const failure = failureOf(() => renderText(template, { list: [1n] }));
  expect(failure).toMatchObject({ code, place: { template: 't.yaml', line, column, action } });
  expect(failure.reason).toMatch(reason);
  expect(failure.message).toContain(`t.yaml:${line}:${column}: `);
});

test.for([
  ['include "x" .', /\{\{ template "name" \. \}\}/],
  ['required "a" .Values.a', /fail "x is required"/],
  ['tpl "x" .', /template of the chart/],
  ['fromYaml "a: 1"', /arrive parsed/],
  ['env "HOME"', /does not see the environment/],
  ['expandenv "$HOME"', /does not see the environment/],
  ['getHostByName "a"', /does not ask the network/],
] as const)('%s is refused with what to write instead', ([call, advice]) => {
  expect(failureOf(() => renderText(`{{ ${call} }}`)).reason).toMatch(advice);
});

test('texts in errors are text, whatever their letters', () => {
  const failure = failureOf(() =>
    new TemplateSet(new Map([['é.yaml', '{{ fail "ü" }}']])).render('é.yaml', null, { environment: fixedEnvironment }),
  );
  expect(failure.message).toBe('é.yaml:1:4: at <fail>: error calling fail: ü');
});

test('of a template that several files define the last counts, unless it is blank', () => {
  const files = {
    a: '{{ define "x" }}a{{ end }}',
    b: '{{ define "x" }}b{{ end }}',
    c: '{{ define "x" }} {{/* none */}}{{ end }}',
    d: '{{ template "x" }}',
  };
  const set = new TemplateSet(new Map(Object.entries(files)));
  expect(Buffer.from(set.render('d', null, { environment: fixedEnvironment })).toString()).toBe('b');
});

test('what set does to a value is seen by the next template', () => {
  const set = new TemplateSet(
    new Map([
      ['a', '{{ $_ := set . "k" 1 }}'],
      ['b', '{{ .k }}'],
    ]),
  );
  const data = fromPlain(new Map());
  set.render('a', data, { environment: fixedEnvironment });
  expect(Buffer.from(set.render('b', data, { environment: fixedEnvironment })).toString()).toBe('1');
});

test('a template that is not there is an error', () => {
  const set = new TemplateSet(new Map([['a', '']]));
  expect(() => set.render('c', null, { environment: fixedEnvironment })).toThrow('no template "c"');
});

test('has every function of the engine', () => {
  expect(functionNames.length).toBe(209 + 18); // Sprig's and toYaml; Go's own, of which Sprig replaces slice
  expect(functionNames).not.toContain('env');
});

test('a render is the same each time when the caller says so', () => {
  const template =
    '{{ now | date "2006-01-02" }} {{ randAlphaNum 8 }} {{ uuidv4 }} {{ shuffle "abcdef" }} {{ randInt 5 9 }} {{ encryptAES "k" "v" }}';
  expect(renderText(template)).toBe(renderText(template));
  expect(renderText('{{ decryptAES "k" (encryptAES "k" "v") }}')).toBe('v');
  expect(renderText('{{ uuidv4 }}')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('keys and certificates come from the caller, or not at all', () => {
  expect(() => renderText('{{ genPrivateKey "rsa" }}')).toThrow('genPrivateKey is not available here');
  expect(() => renderText('{{ bcrypt "x" }}')).toThrow('bcrypt is not available here');
  const certificate = ({ commonName }: { commonName: string }) => ({ cert: `cert of ${commonName}`, key: 'key' });
  const environment = { crypto: { certificate, privateKey: (type: string) => `a ${type} key` } };
  expect(renderText('{{ genPrivateKey "" }}', {}, { environment })).toBe('a rsa key');
  const signed = '{{ $ca := genCA "ca" 1 }}{{ (genSignedCert "a" nil (list "a.b") 1 $ca).Cert }}';
  expect(renderText(signed, {}, { environment })).toBe('cert of a');
});

test('a pointer in a list is no number with a fraction', () => {
  expect(renderText('{{ printf "%f" (list (semver "1.9.9")) }}')).toBe('[%!f(*semver.Version=&{1 9 9   1.9.9})]');
});

test('a break in the else of a range ends that range, a continue goes on with the one around it', () => {
  const inner = (word: string) => `{{ range list }}{{ else }}{{ ${word} }}{{ end }}`;
  expect(renderText(`{{ range until 2 }}${inner('break')}{{ . }}{{ end }}`)).toBe('01');
  expect(renderText(`{{ range until 2 }}${inner('continue')}{{ . }}{{ end }}`)).toBe('');
});
