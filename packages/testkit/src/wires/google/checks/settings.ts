/** What Google refuses about numbers and choices: how to generate, how to think, which tool to force. */

import { isObject, listOf, objectsIn } from "../../shape.ts";
import type { Body } from "../../wire.ts";

export function* settingFaults(body: Body): Generator<string> {
  const { generationConfig, toolConfig } = body;
  if (isObject(generationConfig)) yield* generationFaults(generationConfig);
  if (isObject(toolConfig) && isObject(toolConfig.functionCallingConfig))
    yield* choiceFaults(toolConfig.functionCallingConfig, declaredNames(body));
}

function* generationFaults(config: Body): Generator<string> {
  const { maxOutputTokens, temperature, topP, stopSequences, candidateCount } = config;
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && Number(maxOutputTokens) >= 1))
    yield outside("max_output_tokens", "must be positive");
  if (temperature !== undefined && !within(temperature, 2))
    yield outside("temperature", "must be in the range [0.0, 2.0]");
  if (topP !== undefined && !within(topP, 1)) yield outside("top_p", "must be in the range [0.0, 1.0]");
  if (listOf(stopSequences).length > 5) yield outside("stop_sequences", "must have at most 5 values");
  if (candidateCount !== undefined && candidateCount !== 1) yield "Multiple candidates is not enabled for this model";
  if (isObject(config.thinkingConfig)) yield* thinkingFaults(config.thinkingConfig);
}

function* thinkingFaults({ thinkingBudget, thinkingLevel }: Body): Generator<string> {
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    yield "You can only set only one of thinking budget and thinking level.";
  if (thinkingBudget !== undefined && !(Number.isInteger(thinkingBudget) && Number(thinkingBudget) >= -1))
    yield `The thinking budget ${String(thinkingBudget)} is invalid. Please choose a value of at least -1.`;
}

function* choiceFaults({ mode, allowedFunctionNames }: Body, declared: readonly unknown[]): Generator<string> {
  const at = "tool_config.function_calling_config";
  if (mode !== undefined && !["AUTO", "ANY", "NONE", "VALIDATED"].includes(String(mode)))
    yield `Invalid value at '${at}.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "${String(mode)}"`;
  const allowed = listOf(allowedFunctionNames);
  if (allowed.length > 0 && mode !== "ANY" && mode !== "VALIDATED")
    yield `* GenerateContentRequest.${at}.allowed_function_names: allowed_function_names should be set only when function calling mode is ANY.`;
  const strange = allowed.find((name) => !declared.includes(name));
  if (strange !== undefined)
    yield `* GenerateContentRequest.${at}.allowed_function_names: function '${String(strange)}' is not declared.`;
  if (mode === "ANY" && declared.length === 0) yield "Function calling config is set without function_declarations.";
}

function declaredNames(body: Body): readonly unknown[] {
  return objectsIn(body.tools).flatMap((tool) => objectsIn(tool.functionDeclarations).map(({ name }) => name));
}

function within(value: unknown, most: number): boolean {
  return typeof value === "number" && value >= 0 && value <= most;
}

function outside(name: string, rule: string): string {
  return `* GenerateContentRequest.generation_config.${name}: ${name} ${rule}.`;
}
