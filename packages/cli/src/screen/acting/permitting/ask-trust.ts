/** Before the first talk in a folder that brings something of its own: does it count? Nobody is asked where there is nothing, nor twice about the same bytes. */

import { homedir } from "node:os";
import { pithHome } from "@pith/context/node";
import type { Wish } from "../../../asking/wish.ts";
import { type TrustedFolder, trustedFolder } from "../../../home/trust/trusted-folder.ts";
import type { Stage } from "../../stage.ts";

export interface TrustPlace {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
}

/** The wish as it stands afterwards: only this time is said by the wish itself. */
export async function trustAsked(wish: Wish, stage: Stage, place: TrustPlace = here()): Promise<Wish> {
  if (wish.trusts) return wish;
  const folder = await trustedFolder({ ...place, userHome: homedir() });
  if (folder.type === "trusted" || folder.holds.files.length === 0) return wish;
  const { wasDeclined } = await import("../../../home/trust/keeping/declined-file.ts");
  if (await wasDeclined(folder.holds, place.home)) return wish;
  if (await isTrustedBy(folder, { place, wish })) return { ...wish, trusts: true };
  return (await isCounted(stage, place)) ? { ...wish, trusts: true } : wish;
}

/** Extensions of the user are asked before anybody is. */
async function isTrustedBy(
  trusted: TrustedFolder,
  { place, wish }: { readonly place: TrustPlace; readonly wish: Wish },
): Promise<boolean> {
  const [{ trustedByExtensions }, { whatHolds }] = await Promise.all([
    import("../../../extending/acting/trusted-by-extensions.ts"),
    import("../../../home/what-holds.ts"),
  ]);
  const holds = await whatHolds(wish, { ...place, environment: process.env });
  if (holds.type === "mistake") return false;
  return await trustedByExtensions({ ...place, trusted, isWanted: holds.choices.extensions !== false });
}

function here(): TrustPlace {
  return { cwd: process.cwd(), home: pithHome() };
}

/** Whether it counts in this call by the answer alone; what is kept counts by itself. */
async function isCounted(stage: Stage, { cwd, home }: TrustPlace): Promise<boolean> {
  const [{ looked }, { redactionHere }, { questionText }, { trustPage }, { trustShown }] = await Promise.all([
    import("../../../home/trust/trusting.ts"),
    import("../../../subcommands/sessions/finding/redaction-here.ts"),
    import("../../../home/trust/telling/question-text.ts"),
    import("../../panels/permitting/trust-page.ts"),
    import("../../../home/trust/trust-shown.ts"),
  ]);
  const redaction = await redactionHere({ home, environment: process.env });
  const { trusted, question } = await looked(cwd, home);
  const text = redaction.redacted(questionText(question));
  const answer = await stage.ask(trustPage(text), { where: "page" });
  if (answer === "no")
    await (await import("../../../home/trust/keeping/declined-file.ts")).keepDeclined(trusted.holds, home);
  if (answer !== "always") return answer === "once";
  // The very bytes that were shown.
  const kept = await trustShown(trusted.holds, { home, redaction });
  if (kept.type === "failed") stage.tell(kept.message, "bad");
  return false;
}
