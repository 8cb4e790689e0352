/** From one session to another, as other programs ask for it: where an extension is against it, one stays. */

import type { Answer } from "../../commands/command.ts";
import { clone } from "../../commands/sessions/clone.ts";
import { fork } from "../../commands/sessions/fork.ts";
import { keptBack } from "../../commands/sessions/may-leave.ts";
import { resume } from "../../commands/sessions/resume.ts";
import type { RpcGives } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Going, Seat } from "../serving/seat.ts";

type Left = Outcome<RpcGives<"new_session">>;

export async function begun(parentSession: string | undefined, seat: Seat): Promise<Left> {
  const { sessionPath, cwd, home } = seat.desk;
  const kept = await keptBack({ type: "session_before_switch", reason: "new" }, seat.desk);
  if (kept) return done({ cancelled: true });
  if (sessionPath === null) return arrived(await seat.go({ type: "none" }, "new"));
  if (parentSession === undefined) return arrived(await seat.go({ type: "new" }, "new"));
  const { createSession } = await import("@pith/context/node");
  const made = await createSession({ cwd, parentSession, env: { PITH_HOME: home } });
  if (made.type !== "opened")
    return failed(made.type === "held" ? "another process has just made it; try again" : made.why);
  const { path } = made.store;
  await made.store.close();
  return arrived(await seat.go({ type: "named", name: path }, "new"));
}

export async function switched(name: string, seat: Seat): Promise<Left> {
  return await followed(await resume.run(name, seat.desk), { seat, reason: "resume" });
}

export async function cloned(seat: Seat): Promise<Left> {
  return await followed(await clone.run("", seat.desk), { seat, reason: "fork" });
}

export async function forked(entryId: string, seat: Seat): Promise<Outcome<RpcGives<"fork">>> {
  const answer = await fork.run(entryId, seat.desk);
  const left = await followed(answer, { seat, reason: "fork" });
  if (left.type === "failed") return left;
  return done({ ...left.data, text: answer.type === "opened" ? (answer.draft ?? "") : "" });
}

async function followed(
  answer: Answer,
  { seat, reason }: { readonly seat: Seat; readonly reason: Going },
): Promise<Left> {
  if (answer.type === "mistake" || answer.type === "failed") return failed(answer.message);
  // An extension keeps it, or it is the one that is open.
  if (answer.type === "told") return done({ cancelled: Object(answer.data).cancelled === true });
  if (answer.type !== "opened") return done({ cancelled: false });
  return arrived(await seat.go({ type: "named", name: answer.path }, reason));
}

function arrived(outcome: Awaited<ReturnType<Seat["go"]>>): Left {
  return outcome.type === "failed" ? outcome : done({ cancelled: false });
}
