/** Says what of an extension went wrong, and why. */

export type Complain = (what: string, why: string) => void;
