/** Leaving a session: somebody says where to go, and whoever waits for that goes there, as often as it happens. */

import type { Wish } from "../../../asking/wish.ts";

export interface Departure {
  /** Goes on with another session, or ends. */
  readonly leave: (next: Wish | null) => void;
  readonly left: () => Promise<Wish | null>;
  /** Whether somebody has said so, and it is not yet known whether it can be gone to. */
  readonly isLeaving: () => boolean;
}

export function departure(): Departure {
  let next = Promise.withResolvers<Wish | null>();
  let isLeaving = false;
  let hasLeft = false;
  return {
    leave: (wish) => {
      isLeaving = true;
      next.resolve(wish);
    },
    isLeaving: () => isLeaving,
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
