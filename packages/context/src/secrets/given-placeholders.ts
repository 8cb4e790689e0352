/** The placeholders that were given, and the way back from them. Held in memory alone. */

import { BROKEN, PLACEHOLDER, PREFIX, placeholderFor } from "./placeholder.ts";
import { walk } from "./walk.ts";

export type SecretsRestored<Value> =
  | { readonly type: "restored"; readonly value: Value }
  | { readonly type: "unknown"; readonly placeholders: readonly string[] };

export class GivenPlaceholders {
  readonly #digest: (value: string) => string;
  readonly #bySecret = new Map<string, string>();
  readonly #byDigits = new Map<string, string>();

  constructor(digest: (value: string) => string) {
    this.#digest = digest;
  }

  /** Undefined where it has none yet. */
  of(secret: string): string | undefined {
    return this.#bySecret.get(secret);
  }

  give(secret: string, family: string): string {
    const digits = this.#digest(secret).slice(0, 12);
    const placeholder = placeholderFor(family, digits);
    this.#bySecret.set(secret, placeholder);
    this.#byDigits.set(digits, secret);
    return placeholder;
  }

  /** What looks like a placeholder in `own` stands for itself, unless one was given that is the same. */
  restored<Value>(value: Value, own: string): SecretsRestored<Value> {
    const unknown = new Set<string>();
    const text = (each: string): string => (each.includes(PREFIX) ? this.#restoredText(each, unknown) : each);
    const restored = walk(value, { text }) as Value;
    for (const word of lookalikes(own)) unknown.delete(word);
    return unknown.size > 0 ? { type: "unknown", placeholders: [...unknown] } : { type: "restored", value: restored };
  }

  #restoredText(text: string, unknown: Set<string>): string {
    for (const word of broken(text)) unknown.add(word);
    return text.replace(PLACEHOLDER, (placeholder, digits: string) => {
      const secret = this.#byDigits.get(digits);
      if (secret === undefined) unknown.add(placeholder);
      return secret ?? placeholder;
    });
  }
}

function lookalikes(text: string): readonly string[] {
  return [...(text.match(PLACEHOLDER) ?? []), ...broken(text)];
}

/** What is left of whole ones is looked at apart, so that nothing grows together. */
function broken(text: string): readonly string[] {
  return text.replace(PLACEHOLDER, " ").match(BROKEN) ?? [];
}
