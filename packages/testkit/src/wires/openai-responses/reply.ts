/** A reply in the spelling of OpenAI Responses: as a stream of numbered events, or as one response. */

import { replyTokens } from "../../cache/tokens.ts";
import type { Counted, Stop } from "../../script.ts";
import type { Body, Said, ServerEvent } from "../wire.ts";
import { itemEvents, type Unnumbered } from "./item-events.ts";
import { items } from "./items.ts";

export function* events(said: Said, asked: Body): Generator<ServerEvent> {
  let number = 0;
  for (const { type, ...data } of unnumbered(said, asked)) {
    yield { event: type, data: { type, sequence_number: number, ...data } };
    number += 1;
  }
}

export function whole(said: Said, asked: Body): unknown {
  return ended(said, asked).response;
}

function* unnumbered(said: Said, asked: Body): Generator<Unnumbered> {
  const response = { ...frame(said, asked), status: "in_progress", output: [], usage: null };
  yield { type: "response.created", response };
  yield { type: "response.in_progress", response };
  for (const [at, item] of items(said, asked).entries()) yield* itemEvents(item, { at, chunk: said.chunk });
  const { status, response: last } = ended(said, asked);
  yield { type: `response.${status}`, response: last };
}

function ended(said: Said, asked: Body): { readonly status: string; readonly response: object } {
  const reason = said.stopAs ?? reasons[said.stop];
  const status = reason === null ? "completed" : "incomplete";
  const output = items(said, asked).map(({ finished }) => finished);
  const response = {
    ...frame(said, asked),
    status,
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: said.usage && usage(said.usage, said),
  };
  return { status, response };
}

/** Why a response is incomplete; null where it is whole. */
const reasons: Readonly<Record<Stop, string | null>> = {
  stop: null,
  calls: null,
  length: "max_output_tokens",
  refusal: "content_filter",
  "context-window": "max_output_tokens",
};

function frame({ id, model }: Said, { store }: Body): object {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_700_000_000,
    model,
    error: null,
    incomplete_details: null,
    store: store !== false,
  };
}

function usage({ input, cacheRead, cacheWrite, output }: Counted, { parts }: Said): object {
  const thought = replyTokens(parts.filter(({ type }) => type === "thinking"));
  const prompt = input + cacheRead + cacheWrite;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(thought, output) },
    total_tokens: prompt + output,
  };
}
