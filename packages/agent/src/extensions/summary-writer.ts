/** Guards a summary writer of an extension: one that throws, hangs or returns nonsense has failed, and the next is tried. */

import type {
  CompactionPlan,
  Finding,
  Runtime,
  SummarizeOptions,
  Summarizer,
  SummarizerResult,
  SummaryCandidate,
} from "@pith/context";
import { createSummaryTimeouts, parseDetails, parseUsage, runGuarded } from "@pith/context/host";

type CallUsage = NonNullable<SummaryCandidate["calls"]>[number];

/** Throws where it is none; whoever registered it is told. */
export function writerIn(value: unknown, { sleep }: Pick<Runtime, "sleep">): Summarizer {
  const { route, isPaid, summarize } = Object(value) as Partial<Summarizer>;
  if (typeof route !== "string" || route.trim() === "") throw new Error("it has no route, which is its name");
  if (typeof summarize !== "function") throw new Error("it has no function `summarize`");
  return {
    route,
    // Whoever does not say that it is free is counted.
    isPaid: isPaid !== false,
    async summarize(plan: CompactionPlan, act: SummarizeOptions): Promise<SummarizerResult> {
      // As long as one attempt of a model: the next summariser is to have its chance.
      const { attempt: ms } = act.time ?? createSummaryTimeouts();
      const within = { ms, sleep };
      // An abort is the caller's to see; it gives whoever writes a moment to say what it has paid.
      const made = await runGuarded(async () => writtenIn(await summarize.call(value, plan, act), plan), {
        timeout: within,
      });
      if (made.type === "done") return made.value;
      return { type: "failed", why: made.type === "failed" ? made.why : `nothing within ${ms / 60_000} min` };
    },
  };
}

function writtenIn(value: unknown, plan: CompactionPlan): SummarizerResult {
  const { type, candidate, why, calls } = Object(value) as Readonly<Record<string, unknown>>;
  const paid = callsIn(calls);
  switch (type) {
    case "written":
      return { type, candidate: candidateIn(candidate, plan) };
    case "nothing":
      return { type };
    case "cancelled":
      return { type, calls: paid };
    case "failed":
      return { type, why: typeof why === "string" ? why : "it does not say why", calls: paid };
    default:
      throw new Error("it wrote nothing that could be read");
  }
}

// What it covers is what the plan says; a plan of its own is not taken.
function candidateIn(value: unknown, plan: CompactionPlan): SummaryCandidate {
  const { narrative, notes, covers, by, calls, findings, details } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof narrative !== "string" || narrative.trim() === "") throw new Error("its narrative is empty");
  const known = new Set(plan.covered.map(({ id }) => id));
  const ids: readonly unknown[] = covers instanceof Set || Array.isArray(covers) ? [...covers] : [...known];
  const { api, provider, model } = Object(by) as Readonly<Record<string, unknown>>;
  const isNamed = typeof api === "string" && typeof provider === "string" && typeof model === "string";
  const own = parseDetails(details);
  return {
    // Never a name that it chose: by its route code's own summary is known, which is not checked.
    route: "hook",
    narrative,
    notes: typeof notes === "string" ? notes : "",
    covers: new Set([...known].filter((id) => ids.includes(id))),
    ...(isNamed && { by: { api, provider, model } }),
    calls: callsIn(calls),
    findings: findingsIn(findings),
    ...(own && { details: own }),
    fromHook: true,
  };
}

function callsIn(value: unknown): readonly CallUsage[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => {
    const usage = parseUsage(Object(each).usage);
    return usage ? [{ usage }] : [];
  });
}

function findingsIn(value: unknown): readonly Finding[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => {
    const { code, note } = Object(each) as Readonly<Record<string, unknown>>;
    return typeof code === "string" && typeof note === "string" ? [{ code, note } as Finding] : [];
  });
}
