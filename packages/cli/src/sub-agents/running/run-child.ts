/** One sub-agent as a process of its own: it is told its task over a line, and ends with it, with its caller, or when it is stopped. */

import type { ExtensionContext, RunEnd } from "@pith/agent";
import { RpcClient, type RpcEvent } from "../../rpc/client/index.ts";
import { DEPTH } from "../wanted-here.ts";
import { forwardQuestion } from "./forward-question.ts";

export interface ChildParts {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly task: string;
  /** Who it is, for people. */
  readonly who: string;
  readonly context: ExtensionContext;
  readonly signal: AbortSignal;
  /** Told all that happens in it. */
  readonly listen: (event: RpcEvent) => void;
}

/** How the process ended; what came of the task stands in its session. */
export type ChildEnd =
  | { readonly type: "settled" | "stopped" }
  /** The end of a sentence that begins with who it is. */
  | { readonly type: "failed"; readonly why: string };

export async function runChild(parts: ChildParts): Promise<ChildEnd> {
  const { args, cwd, signal } = parts;
  if (signal.aborted) return { type: "stopped" };
  let said = "";
  const client = RpcClient.start({
    command: process.execPath,
    args,
    cwd,
    env: { ...process.env, [DEPTH]: "1" },
    note: (text) => {
      said = `${said}${text}`.slice(-MOST_SAID);
    },
  });
  const stop = (): void => void client.close(GRACE_MS);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const end = await worked(client, parts);
    const { code, signal: by } = await client.close(end.type === "settled" ? undefined : GRACE_MS);
    if (signal.aborted) return { type: "stopped" };
    return end.type === "gone" ? { type: "failed", why: whyGone({ code, by, said }) } : end;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Then it is told by a signal, and after as long again by one that nobody refuses. */
const GRACE_MS = 1_500;
const MOST_SAID = 2_000;

async function worked(client: RpcClient, parts: ChildParts): Promise<ChildEnd | { readonly type: "gone" }> {
  const { context, who, signal, task, listen } = parts;
  const settled = Promise.withResolvers<ChildEnd>();
  let end: ChildEnd = { type: "settled" };
  const over = new AbortController();
  const asking = { context, who, signal: AbortSignal.any([signal, over.signal]) };
  client.listen((event) => {
    listen(event);
    if (event.type === "agent_end") end = endOf(event.end);
    if (event.type === "agent_settled") settled.resolve(end);
    if (event.type !== "extension_ui_request") return;
    void forwardQuestion(event, asking).then((answer) => answer && client.answer(answer));
  });
  const gone = client.ended.then(() => {
    // What it asked, nobody need answer any more.
    over.abort();
    return { type: "gone" } as const;
  });
  const answer = await client.send({ type: "prompt", message: escaped(task) });
  if (!answer.success) return await Promise.race([gone, refused(answer.error)]);
  if (answer.data?.disposition === "handled")
    return { type: "failed", why: "did not begin: an extension took its task" };
  return await Promise.race([settled.promise, gone]);
}

/** A model that could not go on leaves no word of it in the session. */
function endOf(end: RunEnd | undefined): ChildEnd {
  return end?.type === "failed" ? { type: "failed", why: end.why } : { type: "settled" };
}

/** Where the program ends, how it ended says more. */
async function refused(error: string): Promise<ChildEnd> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { type: "failed", why: `did not begin: ${error}` };
}

/** COM2: a task is never a command. */
function escaped(task: string): string {
  return task.startsWith("/") ? `/${task}` : task;
}

interface Gone {
  readonly code: number | null;
  readonly by: NodeJS.Signals | null;
  readonly said: string;
}

function whyGone({ code, by, said }: Gone): string {
  const how = by === null ? `ended with ${code ?? "no code"}` : `was ended by ${by}`;
  const line = said.trim().split("\n").at(-1) ?? "";
  return line === "" ? how : `${how}: ${line}`;
}
