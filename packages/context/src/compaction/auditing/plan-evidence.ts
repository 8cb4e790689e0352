/** What a plan's summary is held against: all that it covers, and what code has kept from before. */

import { carriedNarrative } from "../../keeping/front.ts";
import { isUsersRequest, requestIn } from "../../keeping/latest-request.ts";
import { ledgerText } from "../../keeping/ledger/ledger-text.ts";
import { type Evidence, evidenceOf } from "../../summary/auditing/evidence.ts";
import type { Plan } from "../planning/plan.ts";
import { keptByCode } from "../writing/kept.ts";

/** The same plan always gives the same; it is worked out once. */
export function planEvidence(plan: Plan): Evidence {
  const known = evidences.get(plan);
  if (known) return known;
  const evidence = gathered(plan);
  evidences.set(plan, evidence);
  return evidence;
}

/** For a story of any form: whether it says what was asked for last is not looked at. */
export function claimEvidence(plan: Plan): Evidence {
  return { ...planEvidence(plan), request: null };
}

const evidences = new WeakMap<Plan, Evidence>();

function gathered(plan: Plan): Evidence {
  const { window, covered, carried, request } = plan;
  const { id, words } = requestIn(request);
  return evidenceOf({
    covered,
    edits: window.edits,
    previous: carriedNarrative(carried),
    isOurs: carried.isChecked,
    words: carried.words.map(({ text }) => text).join(""),
    pins: window.state.pins.map(({ text }) => text),
    ledger: ledgerText(keptByCode(plan).ledger, { tokens: LEDGER }),
    request: isUsersRequest(request) ? { id, text: words } : null,
  });
}

/** Tokens of the ledger that names are looked up in: more than any front shows. */
const LEDGER = 100_000;
