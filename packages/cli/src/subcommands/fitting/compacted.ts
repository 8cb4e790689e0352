/** A session told in short, by the same path as `/compact`: with its own model, or another that is named. */

import { mistake } from "../../asking/mistake.ts";
import { readArguments } from "../../asking/read-arguments.ts";
import { build } from "../../build.ts";
import { compactionTold, receiptTold } from "../../commands/fitting/compaction-told.ts";
import { vaultHere } from "../../home/secrets/vault-here.ts";
import { stopOnSignals } from "../../stop-on-signals.ts";
import { meantToWrite } from "../sessions/finding/reading.ts";
import { wordFor } from "../sessions/finding/word-for.ts";
import type { Call, Outcome } from "../subcommand.ts";
import { asOutcome } from "./as-outcome.ts";
import { settingsHere } from "./settings-here.ts";

export async function compacted(call: Call): Promise<Outcome> {
  const { cwd, home, environment, flags, note } = call;
  const chosen = await settingsHere(call);
  if (chosen.type === "mistake") return chosen;
  const found = await meantToWrite(call.arguments[0] ?? "", call);
  if (found.type === "mistake") return found;
  // As if somebody had gone on with it: the one way to all that a session is worked on with.
  const read = readArguments(["-p", `--session=${found.path}`, "--no-context-files", "--no-skills"]);
  if (read.type !== "wish") return mistake(`${found.path} cannot be named on a command line`);
  const choices = { ...chosen.settings, ...read.wish.choices, sandbox: "off" } as const;
  const vault = await vaultHere({ home, environment, choices });
  const built = await build(read.wish, { cwd, home, environment, choices, vault });
  if (built.type === "failed") return built.code === 1 ? built : mistake(built.message);
  const { agent, close } = built;
  const signalled = stopOnSignals(agent);
  note(`· compacting with ${agent.model.provider}/${agent.model.model}`);
  const { instructions } = flags;
  const compaction = agent.compact(typeof instructions === "string" ? instructions : undefined);
  const outcome = await compaction.finally(close);
  if (outcome.type === "cancelled")
    return { type: "shown", text: "cancelled; everything is as it was", data: outcome, code: signalled() ?? 1 };
  if (outcome.type !== "compacted") return asOutcome(compactionTold(outcome));
  const { id } = agent.session.store.header;
  const back = `pith -p --session ${wordFor({ id, path: found.path }, home)} /undo`;
  const text = `compacted: ${receiptTold(outcome.receipt)}; take it back with: ${back}`;
  return { type: "shown", text, data: outcome.receipt };
}
