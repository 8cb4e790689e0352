/** Re-exports all of `@pith/context/shell`, for extensions only. */

export * from "@pith/context/shell";
