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
export function parseSummarizer(value: unknown, { sleep }: Pick<Runtime, "sleep">): Summarizer {
  const { route, isPaid, summarize } = Object(value) as Partial<Summarizer>;
  if (typeof route !== "string" || route.trim() === "") throw new Error("it has no route, which is its name");
  if (typeof summarize !== "function") throw new Error("it has no function `summarize`");
  return {
    route,
    // Whoever does not say that it is free is counted.
    isPaid: isPaid !== false,
    async summarize(plan: CompactionPlan, options: SummarizeOptions): Promise<SummarizerResult> {
      // As long as one attempt of a model: the next summariser is to have its chance.
      const { attempt: ms } = options.time ?? createSummaryTimeouts();
      const timeout = { ms, sleep };
      // An abort is the caller's to see; it gives whoever writes a moment to say what it has paid.
      const result = await runGuarded(
        async () => parseSummarizerResult(await summarize.call(value, plan, options), plan),
        {
          timeout: timeout,
        },
      );
      if (result.type === "done") return result.value;
      return { type: "failed", why: result.type === "failed" ? result.why : `nothing within ${ms / 60_000} min` };
    },
  };
}

function parseSummarizerResult(value: unknown, plan: CompactionPlan): SummarizerResult {
  const { type, candidate, why, calls } = Object(value) as Readonly<Record<string, unknown>>;
  const callUsages = parseCalls(calls);
  switch (type) {
    case "written":
      return { type, candidate: parseCandidate(candidate, plan) };
    case "nothing":
      return { type };
    case "cancelled":
      return { type, calls: callUsages };
    case "failed":
      return { type, why: typeof why === "string" ? why : "it does not say why", calls: callUsages };
    default:
      throw new Error("it wrote nothing that could be read");
  }
}

// What it covers is what the plan says; a plan of its own is not taken.
function parseCandidate(value: unknown, plan: CompactionPlan): SummaryCandidate {
  const { narrative, notes, covers, by, calls, findings, details } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof narrative !== "string" || narrative.trim() === "") throw new Error("its narrative is empty");
  const coveredIds = new Set(plan.covered.map(({ id }) => id));
  const ids: readonly unknown[] = covers instanceof Set || Array.isArray(covers) ? [...covers] : [...coveredIds];
  const { api, provider, model } = Object(by) as Readonly<Record<string, unknown>>;
  const hasModelName = typeof api === "string" && typeof provider === "string" && typeof model === "string";
  const parsedDetails = parseDetails(details);
  return {
    // Never a name that it chose: by its route code's own summary is known, which is not checked.
    route: "hook",
    narrative,
    notes: typeof notes === "string" ? notes : "",
    covers: new Set([...coveredIds].filter((id) => ids.includes(id))),
    ...(hasModelName && { by: { api, provider, model } }),
    calls: parseCalls(calls),
    findings: parseFindings(findings),
    ...(parsedDetails && { details: parsedDetails }),
    fromHook: true,
  };
}

function parseCalls(value: unknown): readonly CallUsage[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((call) => {
    const usage = parseUsage(Object(call).usage);
    return usage ? [{ usage }] : [];
  });
}

function parseFindings(value: unknown): readonly Finding[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((finding) => {
    const { code, note } = Object(finding) as Readonly<Record<string, unknown>>;
    return typeof code === "string" && typeof note === "string" ? [{ code, note } as Finding] : [];
  });
}
