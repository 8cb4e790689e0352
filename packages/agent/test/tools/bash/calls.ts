/** Calls the bash tool on a real shell. */

import type { ToolCall } from "../../../src/tool.ts";
import { type BashTool, type BashToolOptions, bashTool } from "../../../src/tools/bash/bash.ts";
import type { BashDetails } from "../../../src/tools/bash/result.ts";
import { folder, shellIn } from "../../node/shell-folder.ts";

/** More than any answer needs. */
const ROOM = 100_000;

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Partial<BashDetails>;
  readonly updates: readonly string[];
}

export function toolIn(root: string = folder(), parts: BashToolOptions = {}): BashTool {
  return bashTool(shellIn(root), parts);
}

export async function call(
  tool: BashTool,
  given: Readonly<Record<string, unknown>>,
  {
    signal = new AbortController().signal,
    maxOutputBytes = ROOM,
  }: Partial<Pick<ToolCall, "signal" | "maxOutputBytes">> = {},
): Promise<Answer> {
  const updates: string[] = [];
  const update = (text: string): void => void updates.push(text);
  const {
    content,
    isError = false,
    details,
  } = await tool.run({ id: "call", arguments: given, signal, maxOutputBytes, update });
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, isError, details: details as Partial<BashDetails>, updates };
}
