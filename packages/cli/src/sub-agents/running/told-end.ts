/** The message that tells how some have ended; its details are the mark that they were told. */

import { type Ends, SUB_AGENT } from "../keeping/in-log.ts";
import { type Result, resultText } from "./result-text.ts";

export interface ToldEnd {
  readonly customType: string;
  readonly content: string;
  readonly display: boolean;
  readonly details: Ends;
}

export function toldEnd(results: readonly Result[]): ToldEnd {
  return {
    customType: SUB_AGENT,
    content: results.map((result) => resultText(result, MOST_TOLD)).join("\n\n"),
    display: true,
    details: endsOf(results),
  };
}

export function endsOf(results: readonly Result[]): Ends {
  return { subAgents: results.map(({ id, agent, status }) => ({ id, agent, status })) };
}

/** Bytes of what is told of one. */
export const MOST_TOLD: number = 8 * 1024;
