/** Tells whether tests that try many cases run all of them: CI runs the short form, `pnpm test:long` the long one. */

export const isLong: boolean = process.env.PITH_TESTS === "long";
