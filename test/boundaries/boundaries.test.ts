import { describe, expect, test } from 'vitest';
import { type Rule, rules } from './rules.ts';
import { readSource } from './source-file.ts';
import { readWorkspace, type Workspace } from './workspace.ts';

const workspace = readWorkspace();

describe('this checkout', () => {
  test('is read whole', () => {
    expect(workspace.packages.length).toBeGreaterThan(12);
    expect(workspace.files.length).toBeGreaterThan(50);
  });

  test.for(Object.entries(rules))('%s', ([, rule]) => {
    const found = workspace.files.flatMap((file) => rule(file, workspace).map((problem) => `${file.path} ${problem}`));
    expect(found).toEqual([]);
  });
});

const sample: Workspace = {
  files: [],
  packages: [
    'packages/contracts',
    'packages/planner',
    'packages/charts',
    'packages/swarm',
    'packages/testkit',
    'apps/cli',
    'apps/source',
    'apps/gateway',
  ].map((dir) => ({
    name: `@hivekeep/${dir.split('/')[1]}`,
    dir,
    dependencies: ['zod'],
    devDependencies: ['yaml'],
  })),
};

function check(rule: Rule, path: string, text: string): string[] {
  return rule(readSource(path, text), sample);
}

describe('pureStaysPure', () => {
  const inPlanner = (text: string) => check(rules.pureStaysPure, 'packages/planner/src/plan.ts', text);

  test.for<[string, string]>([
    ["import { readFile } from 'node:fs/promises';", 'imports readFile of node:fs/promises'],
    ["import 'node:net';", 'imports * of node:net'],
    ["import * as net from 'net';", 'imports * of net'],
    ["export { request } from 'node:http';", 'imports request of node:http'],
    ["export * from 'node:timers';", 'imports * of node:timers'],
    ["const cp = await import('node:child_process');", 'imports * of node:child_process'],
    ["type Stats = import('node:fs').Stats;", 'imports * of node:fs'],
    ["import { randomBytes } from 'node:crypto';", 'imports randomBytes of node:crypto'],
    ["import { gunzipSync } from 'node:zlib';", 'imports gunzipSync of node:zlib'],
    ["import { SwarmBackend } from '@hivekeep/swarm';", 'imports @hivekeep/swarm, which is not pure'],
    ['const home = process.env.HOME;', 'uses process'],
    ['const now = Date.now();', 'uses Date.now'],
    ['const later = (d = new Date()) => d;', 'uses new Date()'],
    ['const { a = Math.random() } = b;', 'uses Math.random'],
    ['setTimeout(() => {}, 5);', 'uses setTimeout'],
    ['class A { log = () => console.log(1); }', 'uses console'],
    ['const get = { fetch };', 'uses fetch'],
    ['export const id = () => crypto.randomUUID();', 'uses crypto'],
  ])('finds %s', ([text, problem]) => {
    expect(inPlanner(text)).toEqual([problem]);
  });

  test.for<string>([
    "import { createHash } from 'node:crypto'; import { isDeepStrictEqual } from 'node:util';",
    "import { z } from 'zod'; import { plan } from './plan.ts'; import type { Spec } from '@hivekeep/contracts';",
    'const at = (time: number) => new Date(time).toISOString();',
    'interface Task { process: string } const f = (t: Task) => t.process;',
    'const f = (process: { pid: number }) => process.pid;',
    'const o = { console: 1, fetch() {} };',
    '// process.exit()\nconst s = "Date.now()";',
  ])('accepts %s', (text) => {
    expect(inPlanner(text)).toEqual([]);
  });

  test('leaves tests and other packages alone, and lets charts compress', () => {
    expect(check(rules.pureStaysPure, 'packages/planner/src/plan.test.ts', "import 'node:fs';")).toEqual([]);
    expect(check(rules.pureStaysPure, 'packages/swarm/src/a.ts', 'process.exit();')).toEqual([]);
    expect(check(rules.pureStaysPure, 'packages/charts/src/a.ts', "import { gunzipSync } from 'node:zlib';")).toEqual([]);
    expect(check(rules.pureStaysPure, 'packages/charts/src/a.ts', "import { createGunzip } from 'node:zlib';")).toHaveLength(1);
  });
});

test.for<[keyof typeof rules, string, string, number]>([
  ['appsStayApart', 'packages/swarm/src/a.ts', "import { x } from '@hivekeep/source';", 1],
  ['appsStayApart', 'apps/gateway/src/a.ts', "import type { X } from '@hivekeep/source';", 1],
  ['appsStayApart', 'apps/gateway/src/a.ts', "import { x } from '@hivekeep/swarm';", 0],
  ['appsStayApart', 'apps/cli/src/a.ts', "import { x } from '@hivekeep/source';", 0],
  ['oneDoorEach', 'apps/gateway/src/a.ts', "import Docker from 'dockerode';", 1],
  ['oneDoorEach', 'packages/swarm/src/client/a.ts', "import Docker from 'dockerode';", 0],
  ['oneDoorEach', 'apps/source/src/a.ts', "import { simpleGit } from 'simple-git';", 1],
  ['oneDoorEach', 'apps/source/src/a.ts', "const p = spawn('git', ['log']);", 1],
  ['oneDoorEach', 'apps/cli/src/a.ts', "cp.execSync('git log');", 1],
  ['oneDoorEach', 'apps/source/src/git/a.ts', "import { simpleGit } from 'simple-git'; spawn('git', []);", 0],
  ['oneDoorEach', 'packages/swarm/src/a.ts', "import { Injectable } from '@nestjs/common';", 1],
  ['oneDoorEach', 'apps/gateway/src/a.ts', "import { Injectable } from '@nestjs/common';", 0],
  ['testkitStaysInTests', 'apps/source/src/a.ts', "import { gitServer } from '@hivekeep/testkit';", 1],
  ['testkitStaysInTests', 'apps/source/src/a.test.ts', "import { gitServer } from '@hivekeep/testkit';", 0],
  ['frontDoorOnly', 'apps/source/src/a.ts', "import { x } from '@hivekeep/swarm/src/x.ts';", 1],
  ['frontDoorOnly', 'apps/source/src/a.ts', "import { x } from '@hivekeep/swarm/testing';", 1],
  ['frontDoorOnly', 'apps/source/src/a.test.ts', "import { x } from '@hivekeep/swarm/testing';", 0],
  ['frontDoorOnly', 'apps/source/src/a.ts', "import { x } from '../../gateway/src/x.ts';", 1],
  ['frontDoorOnly', 'apps/source/src/git/a.ts', "import { x } from '../b.ts'; import m from '../../package.json';", 0],
  ['importsAreDeclared', 'apps/source/src/a.ts', "import { x } from '@hivekeep/swarm';", 1],
  ['importsAreDeclared', 'apps/source/src/a.ts', "import { x } from 'yaml/util';", 1],
  ['importsAreDeclared', 'apps/source/src/a.test.ts', "import { x } from 'yaml/util'; import { test } from 'vitest';", 0],
  ['importsAreDeclared', 'apps/source/src/a.ts', "import { z } from 'zod'; import 'node:fs';", 0],
])('%s in %s: %s', ([rule, path, text, problems]) => {
  expect(check(rules[rule], path, text)).toHaveLength(problems);
});
