import type { Model } from '../model.ts';
import type { Problems } from '../problems.ts';

/** What every part of a conversion needs: the stack's name, its declarations, and where to say what is wrong. */
export interface ConvertContext {
  readonly stack: string;
  readonly model: Model;
  readonly problems: Problems;
}
