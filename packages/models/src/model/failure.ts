/** Why there is no reply, in our few kinds: what a provider or its package threw is translated here and nowhere else. */

import type { ModelFailure } from "@pith/context";
import { classifyRefusal, type Verdict } from "../overflow/index.ts";
import { retryAfter } from "./retry-after.ts";
import type { Room } from "./room.ts";
import { type Thrown, thrownWords } from "./thrown-words.ts";

export interface FailureParts {
  readonly provider: string;
  /** How large the request is, should its size have to decide. */
  readonly estimate: Pick<Room, "tokens" | "window">;
  readonly now: () => number;
}

export function failureOf(error: unknown, { provider, estimate, now }: FailureParts): ModelFailure {
  const thrown = thrownWords(error);
  const verdict = verdictOf(thrown, { provider, estimate });
  const wait = retryAfter(thrown, now);
  const kind = kindOf(thrown, { verdict, isToWait: wait !== undefined });
  return {
    kind,
    message: sentence(thrown, provider),
    ...((kind === "overflow" || kind === "quota") && verdict.limit !== undefined && { limit: verdict.limit }),
    ...((kind === "busy" || kind === "unreachable") && wait !== undefined && { retryAfterMs: wait }),
    cause: causeOf(thrown),
  };
}

// A status that stands on an error in a stream was made up by the package: the answer itself had come with 200.
function verdictOf({ from, text, status, code }: Thrown, about: Pick<FailureParts, "provider" | "estimate">): Verdict {
  if (from !== "answer" && from !== "stream") return { class: "other" };
  const { tokens, window } = about.estimate;
  const estimate = { tokens: tokens(), window };
  const known = { text, ...(code !== undefined && { code }), provider: about.provider, estimate };
  return classifyRefusal(from === "answer" && status !== undefined ? { ...known, status } : known);
}

function kindOf(
  { from, status, code = "", text }: Thrown,
  { verdict, isToWait }: { readonly verdict: Verdict; readonly isToWait: boolean },
): ModelFailure["kind"] {
  switch (verdict.class) {
    case "overflow":
    case "payload":
      return verdict.class;
    case "ratelimit":
      return isSpent(`${code} ${text.slice(0, 2048)}`, isToWait) ? "refused" : "busy";
    case "tpm_ceiling":
      return "quota";
    case "other":
      if (from === "nobody" || from === "program") return "refused";
      if (from === "network" || from === "nonsense") return "unreachable";
      return byStatus(status, code);
  }
}

// Many limits of a minute send people to the billing page; whoever says when to come again does not mean for good.
function isSpent(text: string, isToWait: boolean): boolean {
  return /insufficient_quota/i.test(text) || (!isToWait && /billing|credit balance/i.test(text));
}

function byStatus(status: number | undefined, code: string): ModelFailure["kind"] {
  if (/overload/i.test(code) || status === 529 || status === 503 || status === 429) return "busy";
  if (status === undefined || status >= 500 || status === 408 || status === 425) return "unreachable";
  return "refused";
}

function sentence({ from, status, words }: Thrown, provider: string): string {
  const said = words === "" ? "" : `: ${words}`;
  switch (from) {
    case "answer":
      return `${provider} answered ${status ?? "with an error"}${said}`;
    case "stream":
      return `${provider} broke off its reply${said}`;
    case "network":
      return status === 200
        ? `the line to ${provider} broke while it spoke`
        : `${provider} could not be reached${said}`;
    case "nonsense":
      return `${provider} sent something that cannot be read`;
    case "nobody":
      return `${provider} was not asked${said}`;
    case "program":
      return `the package of ${provider} failed${said}`;
  }
}

// Enough to find the fault; what the package threw holds the whole request as well.
function causeOf({ status, code, text }: Thrown): ModelFailure["cause"] {
  return { ...(status !== undefined && { status }), ...(code !== undefined && { code }), text: text.slice(0, 2048) };
}
