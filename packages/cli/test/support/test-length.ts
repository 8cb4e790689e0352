/** CI runs the short form of a test that tries many cases. `pnpm test:long` runs the long form. */
export const isLong: boolean = process.env.PITH_TESTS === "long";
