/** Leaving a session: somebody says where to go, and whoever waits for that goes there, as often as it happens. */

import type { Wish } from "../../../asking/wish.ts";
import type { Talking, Way } from "../talking.ts";

export interface Departure {
  /** Goes on with another session, or ends. */
  readonly leave: Talking["leave"];
  readonly left: () => Promise<Wish | null>;
  /** Whether somebody has said so, and it is not yet known whether it can be gone to. */
  readonly isLeaving: () => boolean;
  /** How one goes to the session that was said last. */
  readonly way: () => Way;
}

export function departure(): Departure {
  let next = Promise.withResolvers<Wish | null>();
  let isLeaving = false;
  let hasLeft = false;
  let way: Way = "resume";
  return {
    leave: (wish, reason = "resume") => {
      isLeaving = true;
      way = reason;
      next.resolve(wish);
    },
    isLeaving: () => isLeaving,
    way: () => way,
    // Whoever waits again could not go there: one stays, and may leave once more.
    left: async () => {
      if (isLeaving && hasLeft) [isLeaving, next] = [false, Promise.withResolvers()];
      hasLeft = false;
      const wish = await next.promise;
      hasLeft = true;
      return wish;
    },
  };
}
