/** Re-exports all of `@pith/context/node`, for extensions only. */

export * from "@pith/context/node";
