/** Implements `pith compact` and `pith context`: compacts a session, previews that, or reports what fills its window. */

import {
  type Budget,
  type CompactionPreview,
  createBudget,
  type LoadedBranch,
  previewCompaction,
  type Receipt,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { createCatalogue, type Prices, providers } from "@pith/models";
import { build } from "../app/build.ts";
import { readArguments } from "../args/args.ts";
import type { Call, Outcome } from "../args/subcommand.ts";
import type { Answer } from "../commands/command.ts";
import { compactionTold } from "../commands/compact.ts";
import { contextReport, contextText } from "../context-report/report.ts";
import { requiresSandbox } from "../policy/policy.ts";
import { redactionHere } from "../sessions/entries.ts";
import { type Failed, meantToWrite, withRead, wordFor } from "../sessions/find-session.ts";
import { whatIsWrong } from "../settings/fields.ts";
import { whatHolds } from "../settings/resolve.ts";
import { vaultHere } from "../settings/secrets.ts";
import { limitsOf, type Settings } from "../settings/settings.ts";
import { receiptTold } from "../text/compaction-text.ts";
import { amount, costTold, counted } from "../text/format.ts";
import { stopOnSignals } from "../text/process-io.ts";
import { oneLine } from "../text/safe-text.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";

export function asOutcome(answer: Answer): Outcome {
  switch (answer.type) {
    case "told":
      return { type: "shown", text: answer.text, data: answer.data };
    case "mistake":
    case "failed":
      return answer;
    case "prompt":
    case "opened":
    case "draft":
    case "quit":
      throw new Error(`a subcommand cannot answer with ${answer.type}`);
  }
}

export type SettingsHere = { readonly type: "chosen"; readonly settings: Settings } | Mistake;

export async function settingsHere({ flags: { model }, cwd, home, environment }: Call): Promise<SettingsHere> {
  const fault = model === undefined ? null : whatIsWrong(["model"], model);
  if (fault !== null) return mistake(`--model ${fault}`);
  const choices = typeof model === "string" ? { model } : {};
  const holds = await whatHolds({ choices, trusts: false }, { cwd, home, environment });
  return holds.type === "mistake" ? holds : { type: "chosen", settings: holds.choices };
}

export async function compacted(call: Call): Promise<Outcome> {
  const { cwd, home, environment, flags, note } = call;
  const chosen = await settingsHere(call);
  if (chosen.type === "mistake") return chosen;
  const found = await meantToWrite(call.arguments[0] ?? "", call);
  if (found.type === "mistake") return found;
  // As if somebody had gone on with it: the one way to all that a session is worked on with.
  const read = readArguments(["-p", `--session=${found.path}`, "--no-context-files", "--no-skills"]);
  if (read.type !== "wish") return mistake(`${found.path} cannot be named on a command line`);
  // No tool is run; a policy that wants a sandbox has one all the same.
  const { policy } = chosen.settings;
  const choices: Settings = {
    ...{ ...chosen.settings, ...read.wish.choices },
    ...(!requiresSandbox(policy) && { sandbox: "off" as const }),
  };
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

export interface WindowRead {
  readonly type: "read";
  readonly id: string;
  /** What to type to mean it. */
  readonly word: string;
  readonly window: LoadedBranch;
  readonly budget: Budget;
  /** As `provider/model`. */
  readonly model: string;
  /** Undefined where nobody knows them. */
  readonly prices: Prices | undefined;
}

/** Sends no request, and needs no key. */
export async function windowRead(call: Call): Promise<WindowRead | Mistake | Failed> {
  const chosen = await settingsHere(call);
  if (chosen.type === "mistake") return chosen;
  return await withRead(call.arguments[0] ?? "", call, async (store): Promise<WindowRead | Mistake> => {
    const session = await Session.open(store, nodeRuntime);
    await session.loadState();
    const { branch: window } = session;
    const spoke = window.state.model && `${window.state.model.provider}/${window.state.model.modelId}`;
    const model = chosen.settings.model ?? spoke;
    if (!model) return mistake("nobody has spoken in this session yet; say for whom with --model provider/model");
    const { id } = store.header;
    const word = wordFor({ id, path: store.path }, call.home);
    return { type: "read", id, word, window, model, ...measured(model, chosen.settings) };
  });
}

function measured(name: string, { compaction, contextWindow }: Settings): Pick<WindowRead, "budget" | "prices"> {
  const [id = "", ...rest] = name.split("/");
  const provider = providers.find((each) => each.id === id);
  const seller = provider?.canonicalId ?? id;
  const model = rest.join("/");
  const { facts } = createCatalogue().facts(seller, model, { local: provider?.isLocal === true });
  const to = { api: provider?.api ?? "", provider: seller, model };
  const seen = Math.min(contextWindow ?? Number.POSITIVE_INFINITY, facts.contextWindow);
  return { budget: createBudget(limitsOf(compaction)(to), { contextWindow: seen, model: to }), prices: facts.prices };
}

export async function contextShown(call: Call): Promise<Outcome> {
  const read = await windowRead(call);
  if (read.type !== "read") return read;
  const { window, budget, id, model } = read;
  const report = contextReport(window, budget);
  return { type: "shown", text: contextText(report), data: { id, model, ...report } };
}

/** Changes nothing, and sends no request. */
export async function previewed(call: Call): Promise<Outcome> {
  const read = await windowRead(call);
  if (read.type !== "read") return read;
  // It quotes what was said, maybe to another program.
  return (await redactionHere(call)).redact(outcomeOf(read));
}

function outcomeOf(read: WindowRead): Outcome {
  const preview = previewCompaction(read.window, read.budget);
  if (preview.type === "nothing-to-do") return asOutcome(compactionTold(preview));
  if (preview.type === "cannot-fit")
    return asOutcome(compactionTold({ type: "failed", why: "cannot-fit", breaker: preview.breaker }));
  const price = priceOf(preview, read);
  const { receipt, summaryText: front } = preview;
  const data = { id: read.id, model: read.model, receipt, front, price, evicted: preview.userMessages.evicted };
  return { type: "shown", text: textOf(preview, { read, price }), data };
}

type Planned = Extract<CompactionPreview, { type: "planned" }>;

/** Dollars for one answer: all of it read anew, nothing from a cache. Parts and corrections come on top. */
function priceOf({ plan, receipt }: Planned, { prices }: WindowRead): number | null {
  if (!prices) return null;
  return (receipt.tokens.before * prices.input + plan.checkpoint * prices.output) / 1_000_000;
}

interface Telling {
  readonly read: WindowRead;
  readonly price: number | null;
}

function textOf({ plan, receipt, userMessages, summaryText: front }: Planned, { read, price }: Telling): string {
  const { tokens, covered, kept } = receipt;
  const pins = read.window.state.pins.length;
  const lost = userMessages.evicted.length;
  return [
    `${amount(tokens.before)} → about ${amount(tokens.after)} tokens`,
    `kept as it was said: ${entries(kept.count)}${plan.reductions.length > 0 ? `, ${plan.reductions.length} of them shortened` : ""}`,
    `kept word for word: your messages${lost > 0 ? ` but for ${amount(lost)} older ones` : ""}${pins > 0 ? `, ${counted(pins, "pin")}` : ""}`,
    `told in short: ${entries(covered.count)}${rangeOf(covered)}`,
    `nothing is lost: each stays in the session (pith sessions show ${read.word} --entry ID)`,
    price === null
      ? `price: nobody knows what ${read.model} costs`
      : `price: about ${costTold(price)} with ${read.model}; more where it must be told in parts, or corrected`,
    "",
    "What code alone would put in their place; a model's story would stand in it:",
    "",
    front.trim(),
  ].join("\n");
}

function rangeOf({ first, last }: Receipt["covered"]): string {
  return first === null || last === null ? "" : `, from ${oneLine(first)} to ${oneLine(last)}`;
}

const entries = (count: number): string => counted(count, "entry", "entries");
