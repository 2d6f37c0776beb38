import { resolveText } from './resolve.ts';

export type WrittenStyle = 'plain' | 'single' | 'double' | 'literal';

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const YAML_1_1_BOOL = /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;
const BREAKS = '\n\r\x85\u2028\u2029';
const LEADING_INDICATORS = '#,[]{}&*!|>\'"%@`';
/** What stays as it is inside quotes; characters beyond the basic plane are escaped. */
const PRINTABLE = /^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/;

export function isBreak(char: string | undefined): boolean {
  return char !== undefined && char !== '' && BREAKS.includes(char);
}

export function isPrintable(char: string): boolean {
  return PRINTABLE.test(char);
}

/** What decides how a text may be written. Source of the rules: yaml.v3 emitterc.go. */
export interface TextShape {
  readonly multiline: boolean;
  readonly plain: boolean;
  readonly single: boolean;
  readonly block: boolean;
}

/** Which styles can hold the text and give it back unchanged. */
export function shapeOf(text: string): TextShape {
  if (text === '') return { multiline: false, plain: true, single: true, block: false };
  const chars = [...text];
  const multiline = chars.some(isBreak);
  const special = chars.some((char) => char !== '\t' && !isPrintable(char));
  const spaceThenBreak = / [\n\r\x85\u2028\u2029]/.test(text);
  const breakThenSpace = /[\n\r\x85\u2028\u2029] /.test(text);
  const edges = text.startsWith(' ') || text.endsWith(' ');
  const tabs = text.includes('\t');
  return {
    multiline,
    plain: !multiline && !special && !edges && !tabs && !hasIndicator(text),
    single: !special && !tabs && !spaceThenBreak && !breakThenSpace,
    block: !special && !spaceThenBreak && !text.endsWith(' '),
  };
}

/** Something a reader would take for YAML's own marks. */
function hasIndicator(text: string): boolean {
  const [first = ''] = text;
  if (text.startsWith('---') || text.startsWith('...') || LEADING_INDICATORS.includes(first)) return true;
  return /^[-?](?:[ \t]|$)/.test(text) || /:(?:[ \t]|$)/.test(text) || /[ \t]#/.test(text);
}

/** Whether a reader would take the bare text for something other than this string; old readers' words included. */
export function needsQuotes(text: string): boolean {
  return resolveText(text).tag !== '!!str' || BASE_60.test(text) || YAML_1_1_BOOL.test(text);
}

/** The style yaml.v3 writes a string in. `asKey`: it stands before its `:` on one line. */
export function styleOf(text: string, asKey: boolean): WrittenStyle {
  const shape = shapeOf(text);
  if (asKey && shape.multiline) return 'double';
  if (text.includes('\n')) return shape.block && !asKey ? 'literal' : 'double';
  if (needsQuotes(text)) return 'double';
  if (shape.plain && !(asKey && text === '')) return 'plain';
  return shape.single ? 'single' : 'double';
}
