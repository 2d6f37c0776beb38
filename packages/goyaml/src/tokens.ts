import type { Mark } from './cursor.ts';
import type { ScalarStyle } from './nodes.ts';

/** The tokens of YAML 1.1 as libyaml cuts them: indentation becomes block starts and ends, `a:` a key before `a`. */
export type Token = { readonly mark: Mark } & (
  | { readonly type: PlainTokenType }
  | { readonly type: 'scalar'; readonly text: string; readonly style: ScalarStyle }
  | { readonly type: 'alias' | 'anchor'; readonly name: string }
  | { readonly type: 'tag'; readonly handle: string; readonly suffix: string }
  | { readonly type: 'version-directive'; readonly major: number; readonly minor: number }
  | { readonly type: 'tag-directive'; readonly handle: string; readonly prefix: string }
);

export type PlainTokenType =
  | 'stream-end'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value';

export type TokenType = Token['type'];
/** Throws: what was wrong, where. */
export type Fail = (problem: string, mark: Mark) => never;
