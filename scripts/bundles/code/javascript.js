import { parser as base } from "@lezer/javascript";

/** JavaScript as pages and exercises have it: with TypeScript and JSX. */
export const parser = base.configure({ dialect: "ts jsx" });
