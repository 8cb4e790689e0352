/** What else changed between two pictures of a talk, as few lines: what is under way, what waits, hints and who speaks. Pure. */

import { plain } from "../../../printing/plain.ts";
import type { Facts } from "../../state/facts.ts";
import type { ScreenState, Work } from "../../state/screen-state.ts";
import type { Signs } from "../../state/signs.ts";

export function toldChange(before: ScreenState, after: ScreenState): readonly string[] {
  const lines = [
    ...factsTold(before.facts, after.facts),
    ...workTold(before.work, after.work),
    ...queueTold(before, after),
    ...signsTold(before.signs, after.signs),
    ...(after.hint !== null && after.hint !== before.hint ? [`Hint: ${after.hint}`] : []),
    ...(before.work.type !== "idle" && after.work.type === "idle" ? [readyTold(after.facts)] : []),
  ];
  return lines.map(plain);
}

/** A start is told at once; afterwards only what became another. */
function factsTold(before: Facts, after: Facts): readonly string[] {
  const { model, folder, mode, sessionName } = after;
  if (before.model === "" && model !== "")
    return [`Model ${model}, folder ${folder}${mode === null ? "" : `, permission mode ${mode}`}.`];
  return [
    ...(model === before.model ? [] : [`Model: ${model}.`]),
    ...(mode === before.mode || mode === null ? [] : [`Permission mode: ${mode}.`]),
    ...(sessionName === before.sessionName || sessionName === null ? [] : [`Session: ${sessionName}.`]),
  ];
}

function workTold(before: Work, after: Work): readonly string[] {
  if (after.type === before.type) return [];
  switch (after.type) {
    case "compacting":
      return ["Compacting, to make room. Ctrl+C stops it."];
    case "summarising":
      return ["The branch that is left is told in short. Ctrl+C stops it."];
    case "retrying":
      return [`It is tried again, because: ${after.why}`];
    case "running":
    case "idle":
      return [];
  }
}

/** Only when they come: read out at every change, they would be heard all the time. */
function signsTold(before: Signs, after: Signs): readonly string[] {
  if (before === after) return [];
  const statuses = Object.entries(after.statuses).filter(([key]) => !Object.hasOwn(before.statuses, key));
  const widgets = Object.entries(after.widgets).filter(([key]) => !Object.hasOwn(before.widgets, key));
  return [...statuses.map(([, text]) => `Status: ${text}`), ...widgets.flatMap(([, lines]) => lines)];
}

function queueTold({ queue: before }: ScreenState, { queue: after }: ScreenState): readonly string[] {
  const steering = after.steering.slice(before.steering.length).map((text) => `Waits to be heard: ${text}`);
  const later = after.followUp.slice(before.followUp.length).map((text) => `Waits for the end: ${text}`);
  return [...steering, ...later];
}

function readyTold({ meter }: Facts): string {
  if (!meter?.limit) return "Ready.";
  return `Ready. The context is ${Math.round((meter.tokens / meter.limit) * 100)} % full.`;
}
