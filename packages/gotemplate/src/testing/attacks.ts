const cyclic = '{{ $d := dict }}{{ $_ := set $d "a" $d }}';
const doubled = '{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}';

/** What a hostile chart may try: each ends in an error soon. */
export const attacks: Readonly<Record<string, string>> = {
  'an endless range': '{{ range 1000000000000 }}{{ end }}',
  'a range in a range': '{{ range 100000 }}{{ range 100000 }}a{{ end }}{{ end }}',
  recursion: '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}',
  'recursion through blocks':
    '{{ define "x" }}{{ if true }}{{ with . }}{{ range 1 }}{{ template "x" $ }}{{ end }}{{ end }}{{ end }}{{ end }}{{ template "x" . }}',
  'recursion that doubles':
    '{{ define "x" }}{{ if . }}{{ template "x" (rest .) }}{{ template "x" (rest .) }}{{ end }}{{ end }}{{ template "x" (until 60) }}',
  'a long repeat': '{{ repeat 1000000000 "x" }}',
  'a text that doubles': '{{ $x := "x" }}{{ range until 60 }}{{ $x = cat $x $x }}{{ end }}',
  'a replacement that explodes': '{{ $x := repeat 100000 "a" }}{{ replace "a" $x $x }}',
  'a regex replacement that explodes': '{{ $x := repeat 10000 "a" }}{{ regexReplaceAll "a" $x $x }}',
  'a list that doubles': '{{ $x := list 1 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}',
  'a shared value printed': `${doubled}{{ $x }}`,
  'a shared value as JSON': `${doubled}{{ toJson $x }}`,
  'a shared value as YAML': `${doubled}{{ toYaml $x }}`,
  'a shared value copied': `${doubled}{{ deepCopy $x }}`,
  'a map in itself printed': `${cyclic}{{ $d }}`,
  'a map in itself as JSON': `${cyclic}{{ toJson $d }}`,
  'a map in itself as YAML': `${cyclic}{{ toYaml $d }}`,
  'a map in itself copied': `${cyclic}{{ deepCopy $d }}`,
  'wide columns': `{{ printf "${'%1000000[1]d'.repeat(100)}" 1 }}`,
  'a deep indentation': '{{ indent 1000000 (repeat 100000 "\\n") }}',
  'a wide separator': '{{ join (repeat 100000 "x") (until 100000) }}',
  'many random bytes': '{{ randBytes 1000000000 }}',
  'many derivations': '{{ range until 100 }}{{ derivePassword 1 "long" "a" "b" "c" }}{{ end }}',
  'deep parentheses': `{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`,
  'deep actions': '{{ if true }}'.repeat(20_000) + '{{ end }}'.repeat(20_000),
  'nested repetitions': '{{ regexMatch "((a{100}){100}){100}" "a" }}{{ mustRegexMatch "((a{100}){100}){100}" "a" }}',
  'a long pattern': '{{ regexMatch (repeat 10000 "a") "a" }}',
};

/** Patterns that take exponential time in engines that go back, and how many letters they are tried on. */
export const patterns = [
  ['(a+)+$', 50_000],
  ['(a|aa)+$', 50_000],
  ['(.*)(.*)(.*)(.*)x', 20_000],
  ['(a?){100}a{100}', 5_000],
] as const;

/** The pattern on so many letters and one that does not fit. */
export const matching = (pattern: string, letters: number): string =>
  `{{ regexMatch "${pattern}" (printf "%sb" (repeat ${letters} "a")) }}`;
