import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readSource, type SourceFile } from './source-file.ts';

/** One package of the workspace, as its package.json declares it. */
export interface WorkspacePackage {
  /** `@hivekeep/planner` */
  name: string;
  /** `packages/planner` */
  dir: string;
  dependencies: string[];
  devDependencies: string[];
}

export interface Workspace {
  packages: WorkspacePackage[];
  files: SourceFile[];
}

/** Reads every package and every TypeScript file of the checkout this file lies in. */
export function readWorkspace(): Workspace {
  const root = resolve(import.meta.dirname, '../..');
  const packages = globSync('{apps,packages,test}/*/package.json', { cwd: root }).map((file) => {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest; // pnpm has checked it
    return {
      name: manifest.name,
      dir: dirname(file),
      dependencies: Object.keys(manifest.dependencies ?? {}),
      devDependencies: Object.keys(manifest.devDependencies ?? {}),
    };
  });
  const files = packages
    .flatMap(({ dir }) => globSync(`${dir}/**/*.{ts,tsx}`, { cwd: root, exclude: (name) => /^(node_modules|out.*)$/.test(name) }))
    .map((path) => readSource(path, readFileSync(join(root, path), 'utf8')));
  return { packages, files };
}

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
