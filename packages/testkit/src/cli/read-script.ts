/** Parses a script file into a `Script`, or lists everything that is wrong with it. */

import { isObject } from "../protocols/json.ts";
import type { Script, ScriptRequest, Step } from "../script.ts";
import { checkStep } from "../script-checks.ts";

export function parseScript(text: string): { readonly script: Script } | { readonly faults: readonly string[] } {
  const json = parseJson(text);
  if (json instanceof Error) return { faults: [`The script is no JSON: ${json.message}`] };
  const steps = isObject(json) ? json.steps : json;
  if (!Array.isArray(steps) || steps.length === 0) return { faults: [SCRIPT_SHAPE] };
  const faults = [
    ...checkScriptKeys(json),
    ...steps.flatMap((step, index) => [...checkStep(step, `step ${index + 1}`)]),
  ];
  if (faults.length > 0) return { faults };
  return { script: toScriptFunction(steps, { loop: isObject(json) && json.loop === true }) };
}

const SCRIPT_SHAPE =
  'A script is a list of at least one step, as in ["Hello!", "Goodbye!"], or { "steps": [...], "loop": true } to begin again after the last.';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

function checkScriptKeys(json: unknown): readonly string[] {
  if (!isObject(json)) return [];
  const unknownKeys = Object.keys(json).filter((name) => name !== "steps" && name !== "loop");
  return [
    ...unknownKeys.map((name) => `The script has "${name}", which is not known: write steps or loop.`),
    ...(json.loop === undefined || typeof json.loop === "boolean" ? [] : ["loop is true or false."]),
  ];
}

/** One step for each request; after the last it stays there, or begins again. */
function toScriptFunction(
  steps: readonly Step[],
  { loop }: { readonly loop: boolean },
): (request: ScriptRequest) => Step {
  return ({ number }) => {
    const index = loop ? (number - 1) % steps.length : Math.min(number, steps.length) - 1;
    return steps[index] ?? "";
  };
}
