/** One line run as the user's own shell would run it, outside of any sandbox; its output is bounded as that of the bash tool. */

import { CommandOutput, outputLimit, redactedShell } from "@pith/agent";
import { nodeShell, sessionBlobs } from "@pith/agent/node";
import { blobHandle } from "@pith/context";
import type { Place } from "../place.ts";

export interface ShellAct extends Pick<Place, "cwd" | "environment" | "vault"> {
  /** The session's file, beside which the whole of a long output is kept; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly signal: AbortSignal;
  /** Told the newest of what it says, while it runs. */
  readonly update: (output: string) => void;
}

export interface ShellRan {
  readonly output: string;
  /** Null where it was stopped, or did not start. */
  readonly exitCode: number | null;
  readonly isCancelled: boolean;
  readonly isTruncated: boolean;
}

const UPDATE_EVERY_MS = 100;
const UPDATE_BYTES = 4_096;

export async function shellRun(command: string, act: ShellAct): Promise<ShellRan> {
  const { cwd: root, environment, vault, sessionPath, signal, update } = act;
  const own = nodeShell({ root, environment });
  const said = new CommandOutput({
    limit: outputLimit,
    blobs: sessionPath === null ? undefined : sessionBlobs(sessionPath),
  });
  const updates = setInterval(() => update(said.newest(UPDATE_BYTES)), UPDATE_EVERY_MS);
  const output = (chunk: Uint8Array): void => said.write(chunk);
  try {
    const end = await (vault ? redactedShell(own, vault) : own).run(command, { signal, output });
    const { text, isTruncated, kept } = await said.take();
    const notes = [
      end.type === "ended" ? null : end.message,
      kept?.type === "kept" ? `[all of it: read ${blobHandle(kept.hash)}]` : null,
    ];
    return {
      output: [text.trimEnd(), ...notes].filter((each) => each !== null && each !== "").join("\n"),
      exitCode: end.type === "ended" ? end.exitCode : null,
      isCancelled: end.type === "killed" && end.by === "abort",
      isTruncated,
    };
  } finally {
    clearInterval(updates);
    said.drop();
  }
}
