import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };

/** `hivekeep version`: the version of Hivekeep and of the Node.js it runs on, on stdout. */
export function versionCommand(): Command {
  return new Command('version').description('print the version').action(() => {
    process.stdout.write(`hivekeep ${manifest.version} (Node.js ${process.version})\n`);
  });
}
