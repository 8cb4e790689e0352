/** Implements `pith sessions show` and `pith sessions export`. Both redact secrets. */

import type { Entry } from "@pith/context";
import type { JsonlStore } from "@pith/context/node";
import { type Call, numberIn, type Outcome } from "../../args/subcommand.ts";
import { type ExportFormat, exportSession } from "../../export/export-session.ts";
import { entryMeant, lostTold, redactionHere, toldEntry, WHOLE } from "../../sessions/entries.ts";
import { meant, quoted, withRead } from "../../sessions/find-session.ts";
import { drawTree, treePart } from "../../sessions/tree-lines.ts";
import { oneLine } from "../../text/safe-text.ts";
import type { Mistake } from "../../text/usage-error.ts";

export async function shownSession(call: Call): Promise<Outcome> {
  const tail = numberIn(call.flags, "tail", USUAL);
  if (tail.type === "mistake") return tail;
  const { redact: redacted } = await redactionHere(call);
  const { entry, tree } = call.flags;
  const outcome = await withRead(call.arguments[0] ?? "", call, async (store): Promise<Outcome> => {
    if (typeof entry === "string") return shownEntry(store, entry);
    return tree === true ? shownTree(store, call) : shownBranch(store, call, tail.value);
  });
  return redacted(outcome);
}

const USUAL = 30;

async function shownEntry(store: JsonlStore, id: string): Promise<Outcome> {
  const found = await entryMeant(store, id);
  if (found.type === "mistake") return found;
  const { entry } = found;
  return { type: "shown", text: toldEntry(entry, WHOLE) ?? JSON.stringify(entry, null, 2), data: entry };
}

/** The way to where one stands, or to the entry that is named, and all that leaves it. */
async function shownTree(store: JsonlStore, { flags }: Call): Promise<Outcome> {
  const end = await branchMeant(store, flags);
  if (end.type === "mistake") return end;
  const leaf = await store.leaf();
  const part = await treePart({ end: end.id, stopsThere: typeof flags.branch === "string" }, store);
  const nodes = drawTree(part, { labels: await store.labels(), leaf, idShown: oneLine });
  const before = part.before === null ? [] : [`… what lies before: --tree --branch ${quoted(oneLine(part.before))}`];
  const text = nodes.length === 0 ? NOTHING : [...before, ...nodes.map((node) => node.text)].join("\n");
  const data = nodes.map(({ text: _, ...node }) => node);
  return { type: "shown", text, data: { ...(await facts(store)), leaf, before: part.before, nodes: data } };
}

const NOTHING = "nothing was said in this session";

async function shownBranch(store: JsonlStore, { flags }: Call, tail: number): Promise<Outcome> {
  const end = await branchMeant(store, flags);
  if (end.type === "mistake") return end;
  const { shown, before } = await toldUpTo(end.id, { store, most: tail });
  const lead =
    before === null
      ? []
      : [`… what lies before: --tail 0 shows all, --branch ${quoted(oneLine(before))} those right before`];
  const text = shown.length === 0 ? NOTHING : [...lead, ...shown.map((each) => each.text)].join("\n\n");
  const entries = shown.map(({ entry }) => entry);
  return { type: "shown", text, data: { ...(await facts(store)), leaf: end.id, before, entries } };
}

type BranchEnd = { readonly type: "end"; readonly id: string | null } | Mistake;

/** Where the session stands, unless another entry is named. */
async function branchMeant(store: JsonlStore, { branch }: Call["flags"]): Promise<BranchEnd> {
  if (typeof branch !== "string") return { type: "end", id: await store.leaf() };
  const found = await entryMeant(store, branch);
  return found.type === "found" ? { type: "end", id: found.entry.id } : found;
}

interface Paragraph {
  readonly entry: Entry;
  readonly text: string;
}

interface Upwards {
  readonly store: JsonlStore;
  /** Paragraphs; 0 for all. */
  readonly most: number;
}

/** From the end, so that a long history costs no more than what is shown of it; `before` is the entry above. */
async function toldUpTo(
  leaf: string | null,
  { store, most }: Upwards,
): Promise<{ readonly shown: readonly Paragraph[]; readonly before: string | null }> {
  const upwards: Paragraph[] = [];
  let id = leaf;
  while (id !== null && (most === 0 || upwards.length < most)) {
    const entry: Entry | undefined = await store.entry(id);
    if (!entry) break;
    const text = toldEntry(entry);
    if (text !== null) upwards.push({ entry, text });
    id = entry.parentId;
  }
  return { shown: upwards.reverse(), before: id };
}

async function facts(store: JsonlStore): Promise<object> {
  const { id, cwd, timestamp } = store.header;
  return { id, path: store.path, cwd, name: (await store.name()) ?? null, created: timestamp };
}

export async function exported(call: Call): Promise<Outcome> {
  const { flags, cwd } = call;
  const found = await meant(call.arguments[0] ?? "", call);
  if (found.type === "mistake") return found;
  const redaction = await redactionHere(call);
  const outcome = await exportSession(found.path, {
    to: typeof flags.output === "string" ? flags.output : undefined,
    as: flags.as as ExportFormat | undefined,
    leaf: typeof flags.branch === "string" ? flags.branch : undefined,
    redaction,
    cwd,
  });
  if (outcome.type === "mistake") return outcome;
  const { path, as, missing } = outcome;
  return { type: "shown", text: `written: ${path}${lostTold(missing)}`, data: { path, as, missing } };
}
