/** A shell line that another program sent: told while it runs, kept in the log, and answered when it is there. */

import { shellLinesOf } from "../../shell-lines/shell-lines.ts";
import type { RpcGives, RpcTakes } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export async function ranShell(
  { command, excludeFromContext: isPrivate = false }: RpcTakes<"bash">,
  { ready, tell, room }: Seat,
): Promise<Outcome<RpcGives<"bash">>> {
  let told = "";
  const update = (output: string): void => {
    // Whoever reads slowly misses some of it, and nothing piles up.
    if (output === told || room()) return;
    told = output;
    tell(ready.built.agent.session.redacted({ type: "bash_execution_update", command, output }));
  };
  const outcome = await shellLinesOf(ready).start(command, { isPrivate, update, ran: ({ output }) => update(output) });
  if (outcome.type === "unrun") return done({ output: "", exitCode: null, cancelled: true, truncated: false });
  if (outcome.type === "failed") return failed(outcome.message);
  const { output, exitCode, isCancelled, isTruncated } = outcome.ran;
  return done({ output, exitCode, cancelled: isCancelled, truncated: isTruncated });
}
