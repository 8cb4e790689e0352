/** The door `@pith/agent`: the loop that lets a model act. */

export { Agent, type AgentParts, type Beginning } from "./agent.ts";
export type { AgentEvent, CompactionReason, Delta, RunEnd } from "./events.ts";
export { atOnce, type Step } from "./step.ts";
export type { Tool, ToolCall, ToolOutput } from "./tool.ts";
export { type BashTool, bashTool } from "./tools/bash/bash.ts";
export { fileTools } from "./tools/files/file-tools.ts";
export type {
  FileRead,
  FileWritten,
  ShellAct,
  ShellEnd,
  Workspace,
  WorkspaceFiles,
  WorkspaceShell,
} from "./workspace.ts";
