/** The one list of what a folder can make Pith do. What is not named here is never read as ours; AGENTS.md and CLAUDE.md are text, and grant nothing. */

export type Kind = "settings" | "skills" | "prompts" | "agents" | "extensions" | "servers";

export interface CanRun {
  readonly kind: Kind;
  /** In a folder of the project; a folder counts with all that lies in it. */
  readonly path: string;
  /** What such files can do, for people. */
  readonly says: string;
}

export const whatCanRun: readonly CanRun[] = [
  { kind: "settings", path: ".pith/settings.json", says: "choose how Pith works here" },
  { kind: "skills", path: ".pith/skills", says: "tell the model how to work" },
  { kind: "skills", path: ".agents/skills", says: "tell the model how to work" },
  { kind: "prompts", path: ".pith/prompts", says: "are said to the model when you type their name" },
  { kind: "agents", path: ".pith/agents", says: "work on their own" },
  { kind: "extensions", path: ".pith/extensions", says: "are programs" },
  { kind: "servers", path: ".pith/mcp.json", says: "name programs that bring tools" },
  { kind: "servers", path: ".mcp.json", says: "name programs that bring tools" },
];
