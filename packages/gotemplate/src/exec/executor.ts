import { CallFailure, LimitFailure, placeOf, TemplateError } from '../failure.ts';
import { sortedEntries } from '../fmt/key-order.ts';
import { shortNodeText } from '../syntax/node-text.ts';
import type { BranchNode, ListNode, Node, Operand, PipeNode, Statement, TemplateNode, Tree } from '../syntax/nodes.ts';
import { Dict, integerOf, isTrue, List, Sized, typeNameOf, type Value } from '../values.ts';
import { checkArgument, idealValue, isLiteral, literalArgument, nilArgument, type Result } from './arguments.ts';
import { fieldOf } from './field.ts';
import type { CallContext, FunctionTable, GoFunction, ParamType } from './function.ts';
import { Output } from './output.ts';
import { Variables } from './variables.ts';

/** How a list of statements ended. */
type Ending = 'end' | 'break' | 'continue';

/** The value before a `|`, which becomes the last argument. */
interface Piped {
  readonly value: Result;
}

export interface Program {
  readonly trees: ReadonlyMap<string, Tree>;
  readonly functions: FunctionTable;
}

/** Executes one template of a program. Use once. Source of the rules: Go's text/template/exec.go. */
export class Executor {
  readonly #program: Program;
  readonly #context: CallContext;
  readonly #output: Output;
  #tree: Tree;
  #depth = 0;
  /** What a failure without a place is about: set before each step that may fail. */
  #current: Node;
  #doing = '';
  #variables = new Variables(undefined);

  constructor(program: Program, tree: Tree, context: CallContext) {
    this.#program = program;
    this.#tree = tree;
    this.#current = tree.root;
    this.#context = context;
    this.#output = new Output(context.meter);
  }

  /** The output, a byte string. Throws `TemplateError`. */
  run(data: Value): string {
    this.#variables = new Variables(data);
    try {
      this.#list(data, this.#tree.root);
    } catch (error) {
      this.#placed(error);
    }
    return this.#output.toString();
  }

  #fail(node: Node, problem: string, code: TemplateError['code'] = 'template/execution'): never {
    throw new TemplateError(code, problem, placeOf(this.#tree.file, this.#tree.source, node.position, shortNodeText(node)));
  }

  /** Gives a failure that has no place the one where it happened. */
  #placed(error: unknown): never {
    const node = this.#current;
    if (error instanceof CallFailure) this.#fail(node, this.#doing + error.message);
    if (error instanceof LimitFailure) this.#fail(node, error.message, 'template/limit');
    if (error instanceof RangeError) this.#fail(node, 'the render needs more memory or a deeper stack than it may have', 'template/limit');
    throw error;
  }

  #charge(node: Node, steps: number): void {
    if (!this.#context.meter.take(steps)) this.#fail(node, this.#context.meter.exhausted, 'template/limit');
  }

  #list(dot: Result, list: ListNode): Ending {
    for (const node of list.nodes) {
      const ending = this.#statement(dot, node);
      if (ending !== 'end') return ending;
    }
    return 'end';
  }

  #statement(dot: Result, node: Statement): Ending {
    this.#charge(node, 1);
    switch (node.type) {
      case 'text':
        this.#current = node;
        this.#output.write(node.text);
        return 'end';
      case 'action': {
        const value = this.#pipe(dot, node.pipe);
        this.#current = node;
        if (node.pipe.variables.length === 0) this.#output.print(value);
        return 'end';
      }
      case 'if':
      case 'with':
        return this.#condition(dot, node);
      case 'range':
        return this.#range(dot, node);
      case 'template':
        this.#template(dot, node);
        return 'end';
      default:
        return node.type;
    }
  }

  #condition(dot: Result, node: BranchNode): Ending {
    const mark = this.#variables.count;
    const value = this.#pipe(dot, node.pipe);
    let ending: Ending = 'end';
    if (isTrue(value)) ending = this.#list(node.type === 'with' ? value : dot, node.body);
    else if (node.otherwise) ending = this.#list(dot, node.otherwise);
    this.#variables.forget(mark);
    return ending;
  }

  #range(dot: Result, node: BranchNode): Ending {
    const mark = this.#variables.count;
    const value = this.#pipe(dot, node.pipe);
    const ending = !this.#elements(node, value) && node.otherwise ? this.#list(dot, node.otherwise) : 'end';
    this.#variables.forget(mark);
    return ending === 'break' ? 'end' : ending; // in Go a break in `else` ends that very range, whatever is around it
  }

  /** Runs the body for each element; false when there is none. */
  #elements(node: BranchNode, value: Result): boolean {
    if (value === undefined || value === null) return false;
    if (value instanceof List) {
      for (const [index, item] of value.items.entries()) if (!this.#iteration(node, BigInt(index), item)) break;
      return value.items.length > 0;
    }
    if (value instanceof Dict) {
      this.#charge(node, value.size);
      for (const [key, item] of sortedEntries(value)) if (!this.#iteration(node, key, item)) break;
      return value.size > 0;
    }
    const count = integerOf(value);
    if (count === undefined) return this.#fail(node.pipe, `range can't iterate over a ${typeNameOf(value)}`);
    if (node.pipe.variables.length > 1) this.#fail(node.pipe, `can't use ${count} to iterate over more than one variable`);
    for (let i = 0n; i < count; i++) {
      if (!this.#iteration(node, undefined, value instanceof Sized ? new Sized(value.kind, i) : i)) break;
    }
    return count > 0n;
  }

  /** One pass through the body; false after a `break`. */
  #iteration(node: BranchNode, index: Result, element: Result): boolean {
    this.#charge(node, 1);
    const { variables, assigns } = node.pipe;
    const bound = variables.length > 1 ? [index, element] : [element];
    for (const [position, name] of variables.entries()) {
      if (assigns) this.#assign(node.pipe, name, bound[position]);
      else this.#variables.setFromEnd(variables.length - position, bound[position]);
    }
    const mark = this.#variables.count;
    const ending = this.#list(element, node.body);
    this.#variables.forget(mark);
    return ending !== 'break';
  }

  #template(dot: Result, node: TemplateNode): void {
    const tree = this.#program.trees.get(node.name);
    if (!tree) this.#fail(node, `template ${JSON.stringify(node.name)} not defined`);
    const { depth } = this.#context.meter.limits;
    if (this.#depth >= depth) this.#fail(node, `templates call each other deeper than ${depth}; does one call itself?`, 'template/limit');
    const data = node.pipe ? this.#pipe(dot, node.pipe) : undefined;
    const [outerTree, outerVariables] = [this.#tree, this.#variables];
    [this.#tree, this.#variables] = [tree, new Variables(data)];
    this.#depth++;
    this.#list(data, tree.root);
    this.#depth--;
    [this.#tree, this.#variables] = [outerTree, outerVariables];
  }

  #variable(node: Node, name: string): Result {
    return this.#variables.has(name) ? this.#variables.get(name) : this.#fail(node, `undefined variable: ${name}`);
  }

  #assign(node: Node, name: string, value: Result): void {
    if (!this.#variables.has(name)) this.#fail(node, `undefined variable: ${name}`);
    this.#variables.assign(name, value);
  }

  #pipe(dot: Result, pipe: PipeNode): Result {
    let piped: Piped | undefined;
    for (const command of pipe.commands) {
      const value = this.#command(dot, command.operands, piped);
      piped = { value: value === null ? undefined : value };
    }
    const value = piped?.value;
    for (const name of pipe.variables) {
      if (pipe.assigns) this.#assign(pipe, name, value);
      else this.#variables.declare(name, value);
    }
    return value;
  }

  #command(dot: Result, operands: readonly [Operand, ...Operand[]], piped: Piped | undefined): Result {
    const [first, ...args] = operands;
    switch (first.type) {
      case 'identifier':
        return this.#function(dot, first, args, piped);
      case 'field':
        return this.#fields(dot, first, dot, first.names, args, piped);
      case 'variable':
        if (first.fields.length > 0) return this.#fields(dot, first, this.#variable(first, first.name), first.fields, args, piped);
        break;
      case 'chain':
        return this.#fields(dot, first, this.#operand(dot, first.operand), first.fields, args, piped);
    }
    if (args.length > 0 || piped) this.#fail(first, "can't give an argument to what is no function");
    if (first.type === 'nil') this.#fail(first, 'nil is not a command');
    return this.#operand(dot, first);
  }

  /** The value of an operand by itself. */
  #operand(dot: Result, node: Operand): Result {
    switch (node.type) {
      case 'dot':
        return dot;
      case 'nil':
        return this.#fail(node, 'indirection through explicit nil');
      case 'field':
        return this.#fields(dot, node, dot, node.names, [], undefined);
      case 'variable': {
        const value = this.#variable(node, node.name);
        return node.fields.length === 0 ? value : this.#fields(dot, node, value, node.fields, [], undefined);
      }
      case 'chain':
        return this.#fields(dot, node, this.#operand(dot, node.operand), node.fields, [], undefined);
      case 'identifier':
        return this.#function(dot, node, [], undefined);
      case 'pipe':
        return this.#pipe(dot, node);
      default:
        this.#current = node;
        return idealValue(node);
    }
  }

  /** `.a.b.c`; arguments go to the last one, if that is a method. */
  #fields(dot: Result, node: Node, receiver: Result, names: readonly string[], args: readonly Operand[], piped: Piped | undefined): Result {
    let value = receiver;
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1;
      const given = isLast ? args : [];
      this.#current = node;
      const member = fieldOf(value, name, isLast && (args.length > 0 || piped !== undefined));
      value = 'method' in member ? this.#call(dot, node, name, member.method, given, isLast ? piped : undefined) : member.value;
    }
    return value;
  }

  #function(dot: Result, node: Operand & { readonly type: 'identifier' }, args: readonly Operand[], piped: Piped | undefined): Result {
    const { name } = node;
    if (name === 'and' || name === 'or') return this.#logic(dot, node, name, args, piped);
    const called = this.#program.functions[name];
    if (!called) return this.#fail(node, `${JSON.stringify(name)} is not a defined function`);
    return this.#call(dot, node, name, called, args, piped);
  }

  /** `and` and `or` evaluate no further than they must, and give one of their arguments. */
  #logic(dot: Result, node: Node, name: 'and' | 'or', args: readonly Operand[], piped: Piped | undefined): Result {
    if (args.length === 0 && !piped) this.#fail(node, `wrong number of args for ${name}: want at least 1 got 0`);
    let value: Result;
    for (const arg of args) {
      value = this.#argument(dot, 'any', arg);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return piped ? piped.value : value;
  }

  #call(dot: Result, node: Node, name: string, called: GoFunction, args: readonly Operand[], piped: Piped | undefined): Result {
    const { params, rest } = called;
    const count = args.length + (piped ? 1 : 0);
    if (count < params.length || (rest === undefined && count > params.length)) {
      this.#fail(node, `wrong number of args for ${name}: want ${rest === undefined ? '' : 'at least '}${params.length} got ${count}`);
    }
    const typeOf = (index: number) => params[index] ?? rest ?? 'any';
    const values = args.map((arg, index) => this.#argument(dot, typeOf(index), arg));
    this.#current = node;
    if (piped) values.push(checkArgument(piped.value, typeOf(count - 1)));
    const { meter } = this.#context;
    for (const value of values) if (typeof value === 'string') meter.chargeBytes(value.length);
    this.#doing = `error calling ${name}: `;
    const result = called.invoke(values, this.#context);
    this.#doing = '';
    meter.chargeMade(result);
    return result;
  }

  #argument(dot: Result, type: ParamType, node: Operand): Value {
    this.#current = node;
    if (isLiteral(node)) return literalArgument(node, type);
    if (node.type === 'nil') return nilArgument(type);
    const value = this.#operand(dot, node);
    this.#current = node;
    return checkArgument(value, type);
  }
}
