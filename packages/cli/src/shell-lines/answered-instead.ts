/** What extensions make of a shell line before it is run: one of them may say what came of it, and then nothing is run. */

import { CommandOutput, type Extensions, outputLimit } from "@pith/agent";
import type { ShellRan } from "./shell-run.ts";

export interface ShellWish {
  readonly command: string;
  readonly isPrivate: boolean;
  readonly cwd: string;
}

export interface Asked {
  readonly extensions: Pick<Extensions, "asked">;
  /** Nobody waits for them any longer. */
  readonly signal: AbortSignal;
}

/** Of several answers the last; null where none of them has one. */
export async function answeredInstead(
  { command, isPrivate, cwd }: ShellWish,
  { extensions, signal }: Asked,
): Promise<ShellRan | null> {
  const stopped = Promise.withResolvers<readonly []>();
  const stop = (): void => stopped.resolve([]);
  signal.addEventListener("abort", stop, { once: true });
  const asked = extensions.asked({ type: "user_bash", command, excludeFromContext: isPrivate, cwd });
  const answers = await Promise.race([asked, stopped.promise]).finally(() => signal.removeEventListener("abort", stop));
  const result = answers.findLast((answer) => answer.result !== undefined)?.result;
  return result ? await bounded(result) : null;
}

/** As what a shell says: no more of it than a model can take, and nothing that steers. */
async function bounded(result: { readonly output: string; readonly exitCode: number | null }): Promise<ShellRan> {
  const said = new CommandOutput({ limit: outputLimit, blobs: undefined });
  said.write(new TextEncoder().encode(result.output));
  const { text, isTruncated } = await said.take();
  return { output: text.trimEnd(), exitCode: result.exitCode, isCancelled: false, isTruncated };
}
