import { type CallContext, contextual, type FunctionTable, fn } from '../exec/function.ts';
import { CallFailure } from '../failure.ts';
import { decodeRune } from '../text/bytes.ts';
import { type Match, Regex } from '../text/regex.ts';
import { isDigit, isLetter } from '../text/unicode.ts';
import { List, type Value } from '../values.ts';
import { stringList } from './casts.ts';

/** A pattern, after paying for the text it goes over. */
function compile({ meter }: CallContext, pattern: string, text: string): Regex {
  const regex = Regex.compile(pattern);
  meter.charge((regex.size * (text.length + 1)) / 16);
  return regex;
}

/** What a match costs beside the text. */
const perMatch =
  ({ meter }: CallContext) =>
  () =>
    meter.charge(6);

function findAll(context: CallContext, pattern: string, text: string, limit: bigint): Value {
  const matches = compile(context, pattern, text).findAll(text, Number(limit), perMatch(context));
  return matches.length === 0 ? List.nil('string') : stringList(matches.map(([start, end]) => text.slice(start, end)));
}

/** Go's `Regexp.Split`. */
function split(context: CallContext, pattern: string, text: string, limit: bigint): Value {
  const regex = compile(context, pattern, text);
  if (limit === 0n) return List.nil('string');
  if (pattern !== '' && text === '') return stringList(['']);
  const parts: string[] = [];
  let [begin, last] = [0, 0];
  for (const [start = 0, end = 0] of regex.findAll(text, Number(limit), perMatch(context))) {
    if (limit > 0n && parts.length === Number(limit) - 1) break;
    last = start;
    if (end !== 0) parts.push(text.slice(begin, last));
    begin = end;
  }
  if (last !== text.length) parts.push(text.slice(begin));
  return stringList(parts);
}

function replaceAll(context: CallContext, pattern: string, text: string, replacementOf: (match: Match, regex: Regex) => string): string {
  const regex = compile(context, pattern, text);
  let replaced = '';
  let last = 0;
  for (const match of regex.findAll(text, -1, perMatch(context))) {
    const [start = 0, end = 0] = match;
    const replacement = replacementOf(match, regex);
    context.meter.chargeBytes(replacement.length);
    replaced += text.slice(last, start) + replacement;
    last = end;
  }
  return replaced + text.slice(last);
}

/** `$1`, `$name` (as long as letters follow) and `${name}` of a replacement; what is unknown is empty, `$$` is `$`. */
function expand(template: string, text: string, match: Match, regex: Regex): string {
  let expanded = '';
  for (let at = 0; at < template.length; ) {
    const dollar = template.indexOf('$', at);
    if (dollar < 0) return expanded + template.slice(at);
    expanded += template.slice(at, dollar);
    const name = nameAt(template, dollar + 1);
    if (name === undefined) {
      expanded += '$';
      at = dollar + (template[dollar + 1] === '$' ? 2 : 1);
      continue;
    }
    at = name.end;
    expanded += groupText(name.text, text, match, regex);
  }
  return expanded;
}

/** The text of a group by its number or name: of several with one name the first that took part. */
function groupText(name: string, text: string, match: Match, regex: Regex): string {
  const isNumber = /^(0|[1-9][0-9]*)$/.test(name);
  const groups = isNumber ? [Number(name)] : (regex.groupNames.get(name) ?? []);
  const group = groups.find((each) => (match[2 * each] ?? -1) >= 0);
  return group === undefined ? '' : text.slice(match[2 * group], match[2 * group + 1]);
}

function nameAt(template: string, start: number): { text: string; end: number } | undefined {
  const isBraced = template[start] === '{';
  const from = isBraced ? start + 1 : start;
  let end = from;
  for (;;) {
    const { rune, size } = decodeRune(template, end);
    if (size === 0 || !(rune === 0x5f || isLetter(rune) || isDigit(rune))) break;
    end += size;
  }
  if (end === from || (isBraced && template[end] !== '}')) return undefined;
  return { text: template.slice(from, end), end: isBraced ? end + 1 : end };
}

const matching = (swallow: boolean) =>
  contextual(['string', 'string'], (context, pattern, text) => {
    try {
      return compile(context, pattern, text).matches(text);
    } catch (error) {
      if (swallow && error instanceof CallFailure) return false;
      throw error;
    }
  });

const finding = contextual(['string', 'string'], (context, pattern, text) => {
  const [start = 0, end = 0] = compile(context, pattern, text).find(text) ?? [];
  return text.slice(start, end);
});
const findingAll = contextual(['string', 'string', 'int'], findAll);
const splitting = contextual(['string', 'string', 'int'], split);
const replacing = contextual(['string', 'string', 'string'], (context, pattern, text, replacement) =>
  replaceAll(context, pattern, text, (match, regex) => expand(replacement, text, match, regex)),
);
const replacingLiterally = contextual(['string', 'string', 'string'], (context, pattern, text, replacement) =>
  replaceAll(context, pattern, text, () => replacement),
);

export const regexFunctions: FunctionTable = {
  regexMatch: matching(true),
  mustRegexMatch: matching(false),
  regexFind: finding,
  mustRegexFind: finding,
  regexFindAll: findingAll,
  mustRegexFindAll: findingAll,
  regexSplit: splitting,
  mustRegexSplit: splitting,
  regexReplaceAll: replacing,
  mustRegexReplaceAll: replacing,
  regexReplaceAllLiteral: replacingLiterally,
  mustRegexReplaceAllLiteral: replacingLiterally,
  regexQuoteMeta: fn(['string'], (text) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
};
