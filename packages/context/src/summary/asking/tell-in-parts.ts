/** A session too long for one question: notes on part after part, then one story of all notes. */

import { textTokens } from "../../reading/tokens/text-tokens.ts";
import { chunksOf, tokensOf } from "./chunks.ts";
import { withIds } from "./citations.ts";
import { MARK_TOKENS, type Material, summaryMaterial } from "./marked.ts";
import { conversation, question, type Telling, type Told, taskOf } from "./question.ts";

/** The turn that is cut stays apart. One question after the other: many a server at home has one slot (B43). */
export async function toldInParts(telling: Telling, room: number): Promise<Told> {
  const chunks = [
    ...chunksOf(telling.history, room).map((blocks) => ({ of: "history" as const, blocks })),
    ...chunksOf(telling.turn, room).map((blocks) => ({ of: "turn" as const, blocks })),
  ];
  if (chunks.length > MOST_PARTS)
    return { type: "failed", failure: { code: "overflow", note: `the session does not fit into ${MOST_PARTS} parts` } };
  const about = aboutPart(telling, room);
  const notes: Notes[] = [];
  for (const [at, { of, blocks }] of chunks.entries()) {
    const slots = { part: String(at + 1), parts: String(chunks.length) };
    const asking = { ...about, place: { part: at + 1, parts: chunks.length } };
    const told = await question(conversation("conversation", blocks), taskOf(about, "map", slots), asking);
    if (told.type !== "told") return told;
    notes.push(notesOn(of, told.text, telling));
  }
  return joined(notes, telling, room);
}

/** More questions than these are too many for one story. */
const MOST_PARTS = 32;

interface Notes {
  readonly of: "history" | "turn";
  readonly text: string;
  readonly tokens: number;
}

function aboutPart(telling: Telling, room: number): Telling {
  const tokens = Math.min(telling.tokens, Math.floor(room / 4));
  return { ...telling, format: "summary", turn: [], task: undefined, tokens };
}

// Numbers hold within one question, ids in the next one too.
function notesOn(of: Notes["of"], answer: string, { history, turn }: Telling): Notes {
  const ids = [...history, ...turn].map(({ entryId }) => entryId);
  const text = withIds(answer, ids);
  return { of, text, tokens: textTokens(text) + MARK_TOKENS };
}

async function joined(notes: readonly Notes[], telling: Telling, room: number): Promise<Told> {
  if (tokensOf(notes) > room) {
    const fewer = await joinedInGroups(notes, telling, room);
    if ("type" in fewer) return fewer;
    return fewer.length < notes.length ? joined(fewer, telling, room) : merged(fewer, telling);
  }
  return merged(notes, telling);
}

function merged(notes: readonly Notes[], telling: Telling): Promise<Told> {
  const materials = [...summaryMaterial("previous-summary", telling.previous), ...notes.flatMap(material)];
  return question(materials, taskOf(telling, "merge"), telling);
}

async function joinedInGroups(
  notes: readonly Notes[],
  telling: Telling,
  room: number,
): Promise<readonly Notes[] | Told> {
  const about = aboutPart(telling, room);
  const fewer: Notes[] = [];
  const groups = (["history", "turn"] as const).flatMap((of) =>
    chunksOf(
      notes.filter((each) => each.of === of),
      room,
    ),
  );
  for (const group of groups) {
    const [first] = group;
    if (!first) continue;
    const told = await question(group.flatMap(material), taskOf(about, "merge"), about);
    if (told.type !== "told") return told;
    fewer.push(notesOn(first.of, told.text, telling));
  }
  return fewer;
}

function material({ of, text }: Notes): readonly Material[] {
  return summaryMaterial(of === "turn" ? "turn" : "partial-summary", text);
}
