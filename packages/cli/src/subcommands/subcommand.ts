/** What the program does besides talking, such as `pith sessions list`: defined once, for the shell, its help and its completions. */

import type { Environment } from "@pith/models";
import type { Mistake } from "../asking/mistake.ts";

export interface Subcommand {
  /** As it is typed behind `pith`: `sessions list`. */
  readonly name: string;
  /** What stands behind it: `SESSION`, `[WORDS …]`; empty for nothing. */
  readonly takes: string;
  /** How many of those there may be. */
  readonly count: { readonly least: number; readonly most: number };
  /** What it does, in one line. */
  readonly says: string;
  /** What else to know, as a paragraph of its help. */
  readonly more?: string;
  /** The shape of what `--json` prints. */
  readonly json: string;
  /** Besides `--json` and `--help`, which all have. */
  readonly flags: Readonly<Record<string, SubcommandFlag>>;
  /** Whole lines, each of which works. */
  readonly examples: readonly string[];
  /** Whatever is heavy is loaded in here. */
  run(call: Call): Promise<Outcome>;
}

export interface SubcommandFlag {
  readonly type: "boolean" | "string";
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands behind it, such as `FOLDER`; absent where it takes nothing. */
  readonly takes?: string;
  /** What it does, in a few words. */
  readonly says: string;
  /** All that it can be, where that is known. */
  readonly values?: readonly string[];
}

export interface Call {
  readonly arguments: readonly string[];
  /** By their long names; a flag that may come several times is a list. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  /** For people, while they wait. */
  readonly note: (line: string) => void;
}

export type Outcome =
  /** `data` is what `--json` prints; `code` where it is not 0, e.g. for `doctor` with findings. */
  | { readonly type: "shown"; readonly text: string; readonly data: unknown; readonly code?: number }
  | Mistake
  | { readonly type: "failed"; readonly message: string };
