/** One setting: what it is called, what it can be, what holds without it, and who may say it. */

import type { Kind } from "./kind.ts";

export interface Setting {
  /** With a point before each part that lies in another, and `*` for a name that the user chooses. */
  readonly name: string;
  readonly kind: Kind;
  /** What the name for `*` can be. */
  readonly names?: Kind;
  /** What holds where nobody says anything: a value, or words where it depends. */
  readonly fallback: Fallback;
  /** What it does, in one sentence. */
  readonly says: string;
  readonly project: ForProject;
  /** It holds texts by their names, which may be secrets: the names are shown, and not the texts. */
  readonly isHidden?: true;
  /** The flag that says it for one call. */
  readonly flag?: string;
  /** The variable that says it for one shell. */
  readonly variable?: string;
}

export type Fallback = { readonly value: unknown } | { readonly words: string };

/** Whether the file of a project may say it, once it is trusted: always, never, or where it is no looser than the user's own. */
export type ForProject = "may" | "never" | ((value: unknown, own: unknown) => boolean);

/** No looser than one's own, by the order of what there is; the strictest first. */
export function strictToLoose(...order: readonly unknown[]): ForProject {
  return (value, own) => order.indexOf(value) <= order.indexOf(own);
}
