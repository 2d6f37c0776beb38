import { parseAst } from 'rolldown/parseAst';

/** Something a file takes from another module. */
export interface Import {
  specifier: string;
  /** The imported names as exported there; `*` for all of it. */
  names: string[];
}

/** What the rules look at in one file. */
export interface SourceFile {
  /** From the checkout's root, with slashes: `packages/planner/src/plan.ts`. */
  path: string;
  imports: Import[];
  /** Names and members used that the file does not declare: `process`, `Date.now`, `new Date()`. */
  globals: string[];
  /** Programs started with a literal name: `spawn('git', …)`. */
  programs: string[];
}

interface Node {
  type: string;
  [key: string]: unknown;
}

/** Reads imports (static, dynamic, `import type`, re-exports) and uses of globals from a module's text. @throws on a syntax error. */
export function readSource(path: string, text: string): SourceFile {
  const file: SourceFile = { path, imports: [], globals: [], programs: [] };
  const declared = new Set<string>();
  const used = new Set<string>();
  const tree = parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path);
  visit(tree as unknown as Node, (node, parent, key) => {
    addImport(file, node);
    addProgram(file, node);
    addDeclared(declared, node);
    addUsed(used, node, parent, key);
  });
  file.globals = [...used].filter((name) => !declared.has(name.replace(/^new |[.(].*$/g, '')));
  return file;
}

type Visitor = (node: Node, parent: Node | undefined, key: string) => void;

function visit(node: Node, visitor: Visitor, parent?: Node, key = ''): void {
  visitor(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, visitor, node, name);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function literal(value: unknown): string | undefined {
  return isNode(value) && value.type === 'Literal' && typeof value.value === 'string' ? value.value : undefined;
}

function nameOf(value: unknown): string {
  return isNode(value) ? String(value.name ?? value.value ?? '') : '';
}

function addImport(file: SourceFile, node: Node): void {
  const modules = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression', 'TSImportType'];
  if (!modules.includes(node.type)) return;
  const specifier = literal(node.source ?? node.argument);
  if (specifier === undefined) return;
  const specifiers = (Array.isArray(node.specifiers) ? node.specifiers : []).filter(isNode);
  const names = specifiers.map((each) =>
    each.type === 'ImportSpecifier' ? nameOf(each.imported) : each.type === 'ExportSpecifier' ? nameOf(each.local) : '*',
  );
  file.imports.push({ specifier, names: names.length > 0 ? names : ['*'] });
}

const starters = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync'];

function addProgram(file: SourceFile, node: Node): void {
  if (node.type !== 'CallExpression' || !isNode(node.callee)) return;
  const callee = node.callee.type === 'MemberExpression' ? nameOf(node.callee.property) : nameOf(node.callee);
  const program = starters.includes(callee) ? literal((node.arguments as unknown[])[0]) : undefined;
  if (program !== undefined) file.programs.push(program.split(/\s/)[0] ?? program);
}

/** Names that the file binds itself, anywhere: an import, a variable, a parameter, a function, a class. */
function addDeclared(declared: Set<string>, node: Node): void {
  const bind = (pattern: unknown): void => {
    if (!isNode(pattern)) return;
    if (pattern.type === 'Identifier') declared.add(nameOf(pattern));
    else if (pattern.type === 'Property') bind(pattern.value);
    else if (pattern.type === 'AssignmentPattern') bind(pattern.left);
    else if (pattern.type === 'RestElement') bind(pattern.argument);
    else if (pattern.type === 'TSParameterProperty') bind(pattern.parameter);
    else for (const part of [pattern.properties, pattern.elements].flat()) bind(part);
  };
  if (/^Import(Default|Namespace)?Specifier$/.test(node.type)) bind(node.local);
  if (node.type === 'VariableDeclarator' || /^(Function|Class)(Declaration|Expression)$/.test(node.type)) bind(node.id);
  if (node.type === 'CatchClause') bind(node.param);
  if (Array.isArray(node.params)) for (const param of node.params) bind(param);
}

/** Identifiers in the place of a value, and what of `Date` and `Math` depends on more than its arguments. */
function addUsed(used: Set<string>, node: Node, parent: Node | undefined, key: string): void {
  if (node.type === 'NewExpression' && nameOf(node.callee) === 'Date' && (node.arguments as unknown[]).length === 0) used.add('new Date()');
  if (node.type === 'CallExpression' && isNode(node.callee) && node.callee.type === 'Identifier' && nameOf(node.callee) === 'Date')
    used.add('Date()');
  if (node.type === 'MemberExpression' && isNode(node.object) && node.object.type === 'Identifier' && !node.computed) {
    used.add(`${nameOf(node.object)}.${nameOf(node.property)}`);
  }
  if (node.type !== 'Identifier' || !parent) return;
  const isKey = key === 'key' && !parent.computed && parent.shorthand !== true;
  const isMember = key === 'property' && !parent.computed;
  const isTypeOnly =
    parent.type.startsWith('TS') && !['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(parent.type);
  const isLabel = parent.type.endsWith('Specifier') || parent.type === 'MetaProperty';
  if (!isKey && !isMember && !isTypeOnly && !isLabel) used.add(nameOf(node));
}
