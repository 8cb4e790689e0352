/** What the command line asks for. */

import type { Choices } from "../home/settings.ts";

export interface Wish {
  /** What to say to the model; empty where nothing was written. */
  readonly words: string;
  /** Files to say with it, without their @. */
  readonly files: readonly string[];
  readonly session: SessionWish;
  /** What the settings could say, too. */
  readonly choices: Choices;
  /** Rules of permission, as they were written. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly systemPrompt: string | undefined;
  readonly appendSystemPrompt: string | undefined;
  /** Whether what the folder itself has to say of Pith counts in this call: its settings, skills and templates. */
  readonly trusts: boolean;
  /** Whose part the model plays: an agent of the user's or of a trusted folder, by its name. */
  readonly agent?: string;
  /** The answer alone for people, every event as a line for programs, a talk on a screen, or one with a program or an editor. */
  readonly output: "text" | "json" | "screen" | "rpc" | "acp";
}

export type SessionWish =
  /** `choose`: which one is asked on the screen. */
  | { readonly type: "new" | "none" | "last" | "choose" }
  /** The beginning of an id, or a path. */
  | { readonly type: "named"; readonly name: string };
