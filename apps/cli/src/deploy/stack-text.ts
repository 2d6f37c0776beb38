import { stringify } from 'yaml';

const HEAD = "# Made by 'hivekeep deploy init'; change answers.json or give flags, and run it again. See docs/operations.md.\n";

/** A stack file as text. */
export function stackText(content: object): string {
  return HEAD + stringify(content, { aliasDuplicateObjects: false, lineWidth: 0 });
}
