import type { Environment } from './environment.ts';
import { builtinFunctions } from './exec/builtins.ts';
import { Executor } from './exec/executor.ts';
import type { FunctionTable } from './exec/function.ts';
import { Meter, type RenderLimits } from './exec/meter.ts';
import { TemplateError } from './failure.ts';
import { refusalOf, sprigFunctions } from './sprig/index.ts';
import { isBlank, type Tree } from './syntax/nodes.ts';
import { parse } from './syntax/parse.ts';
import { bytesOf } from './text/bytes.ts';
import type { Value } from './values.ts';

const functions: FunctionTable = Object.assign(Object.create(null), builtinFunctions, sprigFunctions);
/** Those that the executor knows itself. */
const keywordFunctions = ['and', 'or'];

/** Names of all functions, in ascending order. */
export const functionNames: readonly string[] = [...Object.keys(functions), ...keywordFunctions].sort();

const problemWith = (name: string) => (name in functions || keywordFunctions.includes(name) ? undefined : refusalOf(name));

export interface RenderOptions {
  readonly environment: Environment;
  readonly limits?: Partial<RenderLimits>;
  /** Counts the work of several renders together, whose limits are then its own. */
  readonly meter?: Meter;
}

/** Parsed templates that can call each other. It holds no state of a render and can be used again. */
export class TemplateSet {
  readonly #trees = new Map<string, Tree>();

  /**
   * Parses files (name to source) in ascending order of their names: of a template that several define the last counts, unless
   * it is blank. Throws `TemplateError` (`template/syntax`).
   */
  constructor(files: ReadonlyMap<string, string>) {
    const names = [...files.keys()].map((name) => [bytesOf(name), name] as const).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [file, name] of names) {
      const source = bytesOf(files.get(name) ?? '');
      for (const [each, tree] of translateOverflow(name, () => parse(file, source, problemWith))) {
        if (!this.#trees.has(each) || !isBlank(tree.root)) this.#trees.set(each, tree);
      }
    }
  }

  /**
   * Executes one template with a value as its dot, which functions such as `set` may change. Gives the bytes of the output.
   * Throws `TemplateError` (`template/execution`, or `template/limit` where a bound of the render is exceeded).
   */
  render(name: string, data: Value, { environment, limits, meter = new Meter(limits) }: RenderOptions): Uint8Array {
    const tree = this.#trees.get(bytesOf(name));
    if (!tree) throw new TemplateError('template/execution', bytesOf(`no template ${JSON.stringify(name)}`));
    const executor = new Executor({ trees: this.#trees, functions }, tree, { meter, environment });
    return Buffer.from(
      translateOverflow(name, () => executor.run(data)),
      'latin1',
    );
  }
}

/** A stack that is full is a limit like any other. */
function translateOverflow<T>(template: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) {
      throw new TemplateError('template/limit', bytesOf(`${template}: actions are nested, or templates call each other, too deep`));
    }
    throw error;
  }
}
