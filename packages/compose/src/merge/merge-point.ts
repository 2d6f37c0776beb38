import type { DeviationId } from '../deviations.ts';
import type { Path, Problems } from '../problems.ts';

/** Where in the later file a merge takes place, for what is said about it. */
export class MergePoint {
  readonly #problems: Problems;
  readonly #path: Path;

  constructor(problems: Problems, path: Path) {
    this.#problems = problems;
    this.#path = path;
  }

  in(key: string): MergePoint {
    return new MergePoint(this.#problems, [...this.#path, key]);
  }

  /** Notes a deviation at this point, or at a member of it. True when the docker CLI's way is to be followed. */
  deviate(id: DeviationId, key?: string): boolean {
    return this.#problems.deviate(id, key === undefined ? this.#path : [...this.#path, key]);
  }
}
