/** A look into a session on the disk, from its end: whom it speaks with, what it is about, and what was said last. */

import { type Entry, entryWords, plainText } from "@pith/context";
import { type JsonlStore, type SessionItem, totalsOf } from "@pith/context/node";
import { branchesOf } from "../../../../commands/walking/branches-of.ts";
import { entrySaid } from "../../../../prompting/said-words.ts";
import { looked } from "../../../../subcommands/sessions/finding/reading.ts";
import { gistOf } from "../../../panels/sessions/gist.ts";
import type { About } from "../../../panels/sessions/sessions-state.ts";
import { tailEntries } from "./tail-entries.ts";

/** One that cannot be opened tells nothing. */
export async function lookInto({ path, size }: SessionItem): Promise<About> {
  if (size > LONG) return toldBy(await tailEntries(path));
  const read = await looked(path, async (store) => ({ type: "read" as const, about: await seenIn(store, size) }));
  if (read.type !== "read") return nothing;
  const counted = size <= COUNTED ? await totalsOf(path) : null;
  if (counted?.type !== "counted") return read.about;
  const { entries, usage } = counted.totals;
  return { ...read.about, entries, cost: usage.cost.total };
}

/** Bytes: of what is longer and was never compacted, all would have to be read. */
const LONG = 2 * 1024 * 1024;
/** Bytes that are read in a moment. */
const COUNTED = 512 * 1024;

const nothing: About = { gist: null, model: null, isForeign: false, lastSaid: "", lastAnswer: "" };

async function seenIn(store: JsonlStore, size: number): Promise<About> {
  const leaf = await store.leaf();
  const { entries, state } = await store.window(leaf);
  const branches = size <= COUNTED ? await branchesOf({ store, leaf }) : null;
  return {
    ...toldBy(entries),
    model: state.model?.modelId ?? null,
    isForeign: store.header.pith === undefined,
    ...(branches !== null && { branches }),
  };
}

/** Files are not checked field by field: what is of another shape tells nothing. */
function toldBy(entries: readonly Entry[]): About {
  try {
    const compaction = entries.findLast((entry) => entry.type === "compaction");
    const reply = entries.findLast((entry) => isOf(entry, "assistant"));
    return {
      ...nothing,
      gist: compaction?.type === "compaction" ? gistOf(compaction.summary) : null,
      model: reply?.type === "message" && reply.message.role === "assistant" ? reply.message.model : null,
      lastSaid: lastWords(entries, "user"),
      lastAnswer: lastWords(entries, "assistant"),
    };
  } catch {
    return nothing;
  }
}

function lastWords(entries: readonly Entry[], role: "user" | "assistant"): string {
  const entry = entries.findLast((each) => isOf(each, role) && entryWords(each).trim() !== "");
  return entry ? plainText(entrySaid(entry), LETTERS) : "";
}

function isOf(entry: Entry, role: "user" | "assistant"): boolean {
  return entry.type === "message" && entry.message.role === role;
}

const LETTERS = 400;
