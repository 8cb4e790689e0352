/** Declares which arguments of a host's tools contain file paths and shell commands. */

/** The roles by tool name; a tool with an empty role touches no files and runs no commands. */
export type ToolRoles = Readonly<Record<string, ToolRole>>;

/** The names of arguments that contain a string or a list of strings. */
export interface ToolRole {
  readonly reads?: readonly string[];
  readonly modifies?: readonly string[];
  /** Arguments with shell commands. */
  readonly runs?: readonly string[];
}
