/** Parses a script file into a `Script`, or lists everything that is wrong with it. */

import { isObject } from "../protocols/json.ts";
import type { Asked, Script, Step } from "../script.ts";
import { stepFaults } from "../script-checks.ts";

export function readScript(text: string): { readonly script: Script } | { readonly faults: readonly string[] } {
  const json = parsed(text);
  if (json instanceof Error) return { faults: [`The script is no JSON: ${json.message}`] };
  const steps = isObject(json) ? json.steps : json;
  if (!Array.isArray(steps) || steps.length === 0) return { faults: [shape] };
  const faults = [...loopFaults(json), ...steps.flatMap((step, at) => [...stepFaults(step, `step ${at + 1}`)])];
  if (faults.length > 0) return { faults };
  return { script: inTurn(steps, { loop: isObject(json) && json.loop === true }) };
}

const shape =
  'A script is a list of at least one step, as in ["Hello!", "Goodbye!"], or { "steps": [...], "loop": true } to begin again after the last.';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function loopFaults(json: unknown): readonly string[] {
  if (!isObject(json)) return [];
  const strange = Object.keys(json).filter((name) => name !== "steps" && name !== "loop");
  return [
    ...strange.map((name) => `The script has "${name}", which is not known: write steps or loop.`),
    ...(json.loop === undefined || typeof json.loop === "boolean" ? [] : ["loop is true or false."]),
  ];
}

/** One step for each request; after the last it stays there, or begins again. */
function inTurn(steps: readonly Step[], { loop }: { readonly loop: boolean }): (asked: Asked) => Step {
  return ({ number }) => {
    const at = loop ? (number - 1) % steps.length : Math.min(number, steps.length) - 1;
    return steps[at] ?? "";
  };
}
