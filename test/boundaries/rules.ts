import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { Import, SourceFile } from './source-file.ts';
import type { Workspace, WorkspacePackage } from './workspace.ts';

/** A rule gives, for one file, what is wrong with it: one sentence each. */
export type Rule = (file: SourceFile, workspace: Workspace) => string[];

/** Packages that take values and give values: no I/O, clock, randomness, logger or environment. */
const purePackages = ['contracts', 'goyaml', 'compose', 'planner', 'application', 'charts', 'gotemplate'];
/** What a pure package may take from Node.js: functions of their arguments alone; hashing and packing where formats ask for it. */
const pureBuiltins: Record<string, { names: RegExp; places: string[] }> = {
  'node:crypto': {
    names: /^(createCipheriv|createDecipheriv|createHash|hash|scryptSync|timingSafeEqual)$/,
    places: ['application', 'charts', 'compose', 'contracts', 'gotemplate', 'planner'],
  },
  'node:util': { names: /^isDeepStrictEqual$/, places: purePackages },
  'node:zlib': { names: /Sync$/, places: ['charts', 'compose'] },
};
const impureGlobals = [
  ...['process', 'console', 'fetch', 'performance', 'crypto', 'globalThis', 'require'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'WebSocket', 'EventSource'],
  ...['Date.now', 'new Date()', 'Date()', 'Math.random', 'AbortSignal.timeout'],
];

const builtin = (specifier: string) => isBuiltin(specifier);
/** `@scope/name` or `name` of a bare specifier. */
const packageOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
const isBare = ({ specifier }: Import) => !specifier.startsWith('.') && !builtin(specifier);
const isTest = ({ path }: SourceFile) => path.startsWith('test/') || /\.test\.tsx?$|\/testing\//.test(path);
const homeOf = (file: SourceFile, { packages }: Workspace) => packages.find(({ dir }) => file.path.startsWith(`${dir}/`));
const purePackage = (file: SourceFile) => purePackages.find((name) => file.path.startsWith(`packages/${name}/`));

/** Pure packages import no I/O and use no global that depends on more than its arguments. */
export const pureStaysPure: Rule = (file) => {
  const home = purePackage(file);
  if (!home || isTest(file)) return [];
  const impure = file.imports.flatMap(({ specifier, names }) => {
    if (specifier.startsWith('@hivekeep/')) {
      return purePackages.includes(specifier.slice('@hivekeep/'.length)) ? [] : [`imports ${specifier}, which is not pure`];
    }
    if (!builtin(specifier)) return [];
    const allowed = pureBuiltins[specifier];
    return names
      .filter((name) => !allowed?.places.includes(home) || !allowed.names.test(name))
      .map((name) => `imports ${name} of ${specifier}`);
  });
  return [...impure, ...file.globals.filter((name) => impureGlobals.includes(name)).map((name) => `uses ${name}`)];
};

/** Packages never import apps; apps never import apps, but for apps/cli, which composes them. */
export const appsStayApart: Rule = (file, workspace) => {
  if (file.path.startsWith('apps/cli/') || file.path.startsWith('test/')) return [];
  const home = homeOf(file, workspace);
  const apps = workspace.packages.filter(({ dir }) => dir.startsWith('apps/') && dir !== home?.dir);
  return file.imports
    .filter(isBare)
    .flatMap(({ specifier }) => (apps.some(({ name }) => name === packageOf(specifier)) ? [`imports the app ${specifier}`] : []));
};

const doors: { what: string; matches: (specifier: string) => boolean; places: string[] }[] = [
  { what: 'dockerode', matches: (specifier) => packageOf(specifier) === 'dockerode', places: ['packages/swarm/', 'packages/testkit/'] },
  {
    what: 'simple-git',
    matches: (specifier) => packageOf(specifier) === 'simple-git',
    places: ['apps/source/src/git/', 'packages/testkit/'],
  },
  { what: 'Nest', matches: (specifier) => specifier.startsWith('@nestjs/'), places: ['packages/runtime/', 'apps/'] },
];

/** One door to the engine, one to Git, one to Nest. */
export const oneDoorEach: Rule = (file) => {
  const imported = file.imports.flatMap(({ specifier }) =>
    doors
      .filter(({ matches, places }) => matches(specifier) && !places.some((place) => file.path.startsWith(place)))
      .map(({ what, places }) => `imports ${what}; only ${places.join(' and ')} may`),
  );
  // the demo writes a repository as a person would; it never reads one for the product
  const gitPlaces = [...(doors.find(({ what }) => what === 'simple-git')?.places ?? []), 'apps/cli/src/demo/'];
  const startsGit = file.programs.includes('git') && !gitPlaces.some((place) => file.path.startsWith(place));
  return startsGit && !isTest(file) ? [...imported, `starts git; only ${gitPlaces.join(' and ')} may`] : imported;
};

/** The testkit is for tests. */
export const testkitStaysInTests: Rule = (file) => {
  if (isTest(file) || file.path.startsWith('packages/testkit/')) return [];
  return file.imports
    .filter(({ specifier }) => specifier.startsWith('@hivekeep/testkit'))
    .map(() => 'imports the testkit outside of a test');
};

/** Other packages are reached by their name alone, never by a path into them; tests also by the `/testing` door a package may have. */
export const frontDoorOnly: Rule = (file, workspace) => {
  const home = homeOf(file, workspace);
  return file.imports.flatMap(({ specifier }) => {
    const door = /^@hivekeep\/[^/]+(\/.*)?$/.exec(specifier)?.[1];
    if (door !== undefined && !(door === '/testing' && isTest(file)))
      return [`imports ${specifier}: packages are reached through their front door`];
    if (!specifier.startsWith('.') || !home) return [];
    const target = posix.join(posix.dirname(file.path), specifier);
    return target.startsWith(`${home.dir}/`) ? [] : [`imports ${specifier}, a path that leaves ${home.dir}`];
  });
};

/** What is imported is declared: among the dependencies, or for a test among the development ones. Test runners are the root's. */
export const importsAreDeclared: Rule = (file, workspace) => {
  const home = homeOf(file, workspace);
  if (!home) return [];
  const declared = declaredFor(home, isTest(file));
  return file.imports
    .filter((each) => isBare(each) && !declared.includes(packageOf(each.specifier)))
    .map(({ specifier }) => `imports ${specifier}, which ${home.dir}/package.json does not declare`);
};

function declaredFor(home: WorkspacePackage, test: boolean): string[] {
  return test ? [home.name, ...home.dependencies, ...home.devDependencies, 'vitest', 'fast-check'] : [...home.dependencies];
}

export const rules = { pureStaysPure, appsStayApart, oneDoorEach, testkitStaysInTests, frontDoorOnly, importsAreDeclared };
