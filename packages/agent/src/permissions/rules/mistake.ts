/** What can be wrong with a rule, by name, with a sentence for whoever wrote it. */

export interface RuleMistake {
  readonly type: "mistake";
  readonly name: MistakeName;
  readonly message: string;
}

export type MistakeName =
  | "empty"
  | "unseen"
  | "no-tool"
  /** A tool that nobody has, so that the rule would never count. */
  | "unknown-tool"
  | "brackets"
  /** A `*` where it means nothing, so that the rule would never count. */
  | "star"
  | "not-simple"
  | "path"
  | "host";

export function mistake(name: MistakeName, message: string): RuleMistake {
  return { type: "mistake", name, message };
}
