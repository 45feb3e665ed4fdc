import { defineConfig } from "vitest/config";

// TROIKA_URL is a running server, for `npx vite` with a session's cookie.
const server = process.env.TROIKA_URL ?? "http://127.0.0.1:4747";

export default defineConfig({
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    manifest: true,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": server, "/healthz": server } },
  test: { environment: "node", include: ["src/**/*.test.{ts,tsx}"] },
});
