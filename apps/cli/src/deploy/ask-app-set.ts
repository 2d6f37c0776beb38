import { createInterface } from 'node:readline/promises';

/** Asks on the terminal where the app set is. */
export async function askAppSet(): Promise<{ appsetRepo: string; appsetRevision: string; appsetPath: string }> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const appsetRepo = await terminal.question('Git repository of the app set (https://…, ssh://…): ');
    const appsetRevision = (await terminal.question('Branch, tag or commit [main]: ')) || 'main';
    const appsetPath = (await terminal.question('File in it [applications.yaml]: ')) || 'applications.yaml';
    return { appsetRepo, appsetRevision, appsetPath };
  } finally {
    terminal.close();
  }
}
