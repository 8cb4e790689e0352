/** Declares what the arguments of a host's tools mean: which of them hold files and commands. */

/** By the tool's name. A tool that is declared without a role touches nothing. */
export type ToolRoles = Readonly<Record<string, ToolRole>>;

/** Names of arguments that hold a text or a list of texts. */
export interface ToolRole {
  readonly reads?: readonly string[];
  readonly modifies?: readonly string[];
  /** Shell lines. */
  readonly runs?: readonly string[];
}
