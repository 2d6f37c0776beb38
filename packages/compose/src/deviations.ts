/**
 * Where we do not do what the docker CLI does, because it loses or corrupts data there; each is declared in
 * `deviations.yaml` with its reason. The text is what a person is told where one applies to a file.
 */
export const deviations = {
  'credential-spec-name': 'the docker CLI does not find a config that has a name of its own; it is used here',
  'extra-hosts-number': 'the docker CLI sends a number here as %!s(…); it is sent as it stands',
  'generic-resource-empty': 'the docker CLI sends a generic resource without a kind, at which an engine may hang up; it is refused here',
  'interpolation-error-lost': 'the docker CLI overlooks a wrong $ when a right reference follows; it is refused here',
  'interpolation-nested': 'the docker CLI ends a reference at the first }; the reference inside is resolved here',
  'interpolation-operator': 'the docker CLI splits at the first :- or - wherever it stands; the operator behind the name counts here',
  'interpolation-unbraced': 'the docker CLI takes what follows $NAME for a default; only a name in braces takes one here',
  'merge-attachment': 'the docker CLI drops aliases and driver options of a network when files are merged; they are kept here',
  'merge-definition': 'the docker CLI replaces a definition by an empty one; an empty one changes nothing here',
  'merge-healthcheck': 'the docker CLI joins the tests of two files or refuses one beside disable; the later file counts here',
  'merge-logging': 'the docker CLI drops logging options that only the later file has; they are kept here',
  'merge-ports': 'the docker CLI keeps one port of those with one published number, or without one; they are all kept here',
  'merge-references': 'the docker CLI keeps one of several targets of a secret or config when files are merged; they are all kept here',
  'merge-zero': 'the docker CLI does not let false, 0 or an empty value of a later file override; it does here',
  'name-twice': 'the docker CLI makes this object and another one of its name, in a random order; it is refused here',
  'number-wraps': 'the docker CLI wraps or cuts this number; it is refused here',
  'volume-single-letter': 'the docker CLI reads a volume of one letter as a Windows drive; the declared volume is mounted here',
} as const;

export type DeviationId = keyof typeof deviations;

/** Deviations that are switched off, so that the docker CLI's way is followed there. */
export type Quirks = ReadonlySet<DeviationId>;
