import type { View } from '@hivekeep/contracts';

/** The list of applications as the bytes of its answer: a view is serialized once, not for each who asks, and so is the whole. */
export class ApplicationList {
  readonly #texts = new WeakMap<View, string>();
  #last: { readonly texts: readonly string[]; readonly body: Buffer } = { texts: [], body: bodyOf([]) };

  /** Views are compared by identity: one that changes is another object. */
  body(views: readonly View[]): Buffer {
    const texts = views.map((view) => this.#text(view));
    const { texts: last } = this.#last;
    if (texts.length !== last.length || texts.some((text, at) => text !== last[at])) this.#last = { texts, body: bodyOf(texts) };
    return this.#last.body;
  }

  #text(view: View): string {
    const known = this.#texts.get(view);
    if (known !== undefined) return known;
    const text = JSON.stringify(withoutReleases(view));
    this.#texts.set(view, text);
    return text;
  }
}

function bodyOf(texts: readonly string[]): Buffer {
  return Buffer.from(`{"applications":[${texts.join()}]}`);
}

/** Lists leave the releases to the single view; absent there means "not asked for". */
function withoutReleases({ spec, status: { releases: _, ...status } }: View): View {
  return { spec, status };
}
