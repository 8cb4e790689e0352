/** Parses a script file into a `Script`, or lists all its faults. */

import { isObject } from "../protocols/json.ts";
import type { Script, ScriptRequest, Step } from "../script.ts";
import { checkStep } from "../script-checks.ts";

export function parseScript(text: string): { readonly script: Script } | { readonly faults: readonly string[] } {
  const json = parseJson(text);
  if (json instanceof Error) return { faults: [`The script is not JSON: ${json.message}`] };
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
  'A script is a list of at least one step, as in ["Hello!", "Goodbye!"], or { "steps": [...], "loop": true } to start again after the last step.';

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
    ...unknownKeys.map((name) => `The script has "${name}", which is unknown. Use steps or loop.`),
    ...(json.loop === undefined || typeof json.loop === "boolean" ? [] : ["loop must be true or false."]),
  ];
}

/** Returns one step for each request. After the last step, repeats it or starts again. */
function toScriptFunction(
  steps: readonly Step[],
  { loop }: { readonly loop: boolean },
): (request: ScriptRequest) => Step {
  return ({ number }) => {
    const index = loop ? (number - 1) % steps.length : Math.min(number, steps.length) - 1;
    return steps[index] ?? "";
  };
}
