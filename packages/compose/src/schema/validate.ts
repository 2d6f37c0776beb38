import { formatPath, type Path, type Problems } from '../problems.ts';
import { GoFloat, isDict, printValue, type Value } from '../value.ts';
import { describe, describeValue, hasKind, identity } from './describe.ts';
import { nearest } from './nearest.ts';
import { type Field, type ListRule, type MapRule, type ObjectRule, type Rule, type ScalarRule, SPECIFICATION } from './rule.ts';

/** Checks a value against the rules of version 3.`minor` and collects everything that is wrong. */
export function validate(value: Value, rule: Rule, minor: number, path: Path, problems: Problems): void {
  new SchemaCheck(minor, problems).check(value, rule, path);
}

class SchemaCheck {
  readonly #minor: number;
  readonly #problems: Problems;

  constructor(minor: number, problems: Problems) {
    this.#minor = minor;
    this.#problems = problems;
  }

  check(value: Value, rule: Rule, path: Path): void {
    if (rule.kind === 'either') this.#checkEither(value, rule.options, path);
    else if (!hasKind(value, rule)) this.#problems.add(path, `expected ${describe(rule)}, found ${describeValue(value)}`);
    else if (rule.kind === 'list' && Array.isArray(value)) this.#checkList(value, rule, path);
    else if (rule.kind === 'map' && isDict(value)) this.#checkMap(value, rule, path);
    else if (rule.kind === 'object' && isDict(value)) this.#checkObject(value, rule, path);
    else this.#checkScalar(value, rule as ScalarRule, path);
  }

  #checkScalar(value: Value, rule: ScalarRule, path: Path): void {
    const message = scalarProblem(value, rule);
    if (message !== undefined) this.#problems.add(path, message);
  }

  /** A union: the option of the value's own kind is the one whose problems are told. */
  #checkEither(value: Value, options: readonly Field[], path: Path): void {
    const rules = options.filter((option) => option.since <= this.#minor).map((option) => option.rule);
    const fitting = rules.find((candidate) => hasKind(value, candidate));
    if (fitting) this.check(value, fitting, path);
    else this.#problems.add(path, `expected ${rules.map(describe).join(' or ')}, found ${describeValue(value)}`);
  }

  #checkList(items: readonly Value[], rule: ListRule, path: Path): void {
    const seen = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      this.check(item, rule.item, [...path, index]);
      if (!rule.unique) continue;
      const text = identity(item);
      const first = seen.get(text);
      if (first === undefined) seen.set(text, index);
      else this.#problems.add([...path, index], `the same as ${formatPath([...path, first])}; each item may stand there once`);
    }
  }

  #checkMap(value: { [key: string]: Value }, rule: MapRule, path: Path): void {
    for (const [key, item] of Object.entries(value)) {
      if (rule.key.test(key)) this.check(item, rule.member, [...path, key]);
      else if (!rule.open)
        this.#problems.add(
          [...path, key],
          `the key ${JSON.stringify(key)} cannot stand here, expected one that matches ${rule.key.source}`,
        );
    }
  }

  #checkObject(value: { [key: string]: Value }, rule: ObjectRule, path: Path): void {
    const open = rule.openSince !== undefined && this.#minor >= rule.openSince && this.#minor < SPECIFICATION;
    for (const key of rule.required) if (!Object.hasOwn(value, key)) this.#problems.add(path, `${key} is required`);
    for (const [key, item] of Object.entries(value)) {
      const field = Object.hasOwn(rule.fields, key) ? rule.fields[key] : undefined;
      if (field && field.since <= this.#minor) this.check(item, field.rule, [...path, key]);
      else if (!open) this.#refuseKey(key, field, rule, path);
      else if (!isRead(key, rule))
        this.#problems.warn('ignored-key', [...path, key], `${key} is ignored: the docker CLI does not know it here`);
    }
  }

  #refuseKey(key: string, field: Field | undefined, rule: ObjectRule, path: Path): void {
    if (this.#problems.full) return;
    const at = [...path, key];
    if (key.startsWith('x-') && this.#minor >= rule.extensionsSince) return;
    const instead = rule.refused && Object.hasOwn(rule.refused, key) ? rule.refused[key] : undefined;
    if (instead !== undefined) {
      this.#problems.add(at, `${key} is not supported in a swarm: ${instead}`);
      return;
    }
    if (field) {
      this.#problems.add(at, `${key} needs version 3.${field.since} or no version at all, the file states 3.${this.#minor}`);
      return;
    }
    if (rule.specification?.includes(key)) {
      this.#problems.unsupported(
        at,
        `${key} belongs to today's compose specification, which docker stack deploy does not read: use dialect: spec`,
      );
      return;
    }
    const fields = Object.keys(rule.fields).filter((name) => (rule.fields[name]?.since ?? 0) <= this.#minor);
    const known = [...new Set([...fields, ...(rule.alsoKnown ?? [])])];
    const near = nearest(key, known);
    const hint = near === undefined ? '' : `did you mean ${near}? `;
    this.#problems.add(at, `unknown key ${JSON.stringify(key)}; ${hint}known here: ${known.sort().join(', ')}`);
  }
}

/** Where any key may stand, the docker CLI reads its own in upper case too. */
function isRead(key: string, { fields }: ObjectRule): boolean {
  return Object.keys(fields).some((name) => name !== key && name.toLowerCase() === key.toLowerCase());
}

function scalarProblem(value: Value, rule: ScalarRule): string | undefined {
  if (rule.kind === 'integer' && rule.min !== undefined && numeric(value) < rule.min)
    return `expected at least ${rule.min}, found ${describeValue(value)}`;
  if (rule.kind === 'string' && rule.oneOf && !(typeof value === 'string' && rule.oneOf.includes(value)))
    return `expected ${describe(rule)}, found ${describeValue(value)}`;
  if ((rule.kind === 'string' || rule.kind === 'number') && rule.format) return rule.format(printValue(value));
  return undefined;
}

function numeric(value: Value): number {
  return value instanceof GoFloat ? value.value : Number(value);
}
