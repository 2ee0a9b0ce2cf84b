// Where things are.

import { join } from "node:path";

/** The workspace. */
export const ROOT = join(import.meta.dirname, "../../..");
/** `@lacre/svc-camera`. */
export const PACKAGE = join(ROOT, "web");
/** The workspace's programs. */
export const PROGRAMS = join(process.env["CARGO_TARGET_DIR"] ?? join(ROOT, "target"), "debug");
/** What the browser tests leave behind. */
export const ARTIFACTS = join(ROOT, "target/web");
