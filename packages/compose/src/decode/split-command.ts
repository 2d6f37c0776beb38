type State = 'start' | 'word' | 'comment' | 'single' | 'double' | 'escape' | 'escape-in-double';

/**
 * Splits a command line into words. A word that begins with `#` starts a comment; inside double quotes a backslash takes
 * the next character as it is, whatever it is. Source of the rules: google/shlex, which the docker CLI uses.
 */
export function splitCommand(text: string): string[] | { readonly error: string } {
  const words: string[] = [];
  let word = '';
  let state: State = 'start';
  const finish = () => {
    words.push(word);
    word = '';
    state = 'start';
  };
  for (const char of text) {
    switch (state) {
      case 'start':
      case 'word':
        if (isSpace(char)) {
          if (state === 'word') finish();
        } else if (char === '"') state = 'double';
        else if (char === "'") state = 'single';
        else if (char === '\\') state = 'escape';
        else if (char === '#' && state === 'start') state = 'comment';
        else {
          word += char;
          state = 'word';
        }
        break;
      case 'comment':
        if (char === '\n') state = 'start';
        break;
      case 'single':
        if (char === "'") state = 'word';
        else word += char;
        break;
      case 'double':
        if (char === '"') state = 'word';
        else if (char === '\\') state = 'escape-in-double';
        else word += char;
        break;
      case 'escape':
        word += char;
        state = 'word';
        break;
      case 'escape-in-double':
        word += char;
        state = 'double';
        break;
    }
  }
  return endOf(state, words, word);
}

function endOf(state: State, words: string[], word: string): string[] | { readonly error: string } {
  if (state === 'single' || state === 'double') return { error: 'a quote is opened and never closed' };
  if (state === 'escape' || state === 'escape-in-double') return { error: 'a backslash at the end escapes nothing' };
  return state === 'word' ? [...words, word] : words;
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}
