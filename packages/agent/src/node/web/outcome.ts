/** The two ways in which opening an address comes to nothing, made in one place. */

import type { WebFailed, WebRefused } from "../../tools/fetch/web.ts";

export function refused(why: WebRefused["why"], message: string): WebRefused {
  return { type: "refused", why, message };
}

export function failed(why: WebFailed["why"], message: string): WebFailed {
  return { type: "failed", why, message };
}
