// A model that plays a script, and what Codex needs to talk with it.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SCRIPT = `
answer
  say I'll see.
  run echo from-codex
answer
  say The model has spoken.
answer always
  say Nothing more.
`;

export async function startModel(world) {
  const folder = join(world.root, "codex");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "script"), SCRIPT);
  const model = spawn(world.programs["troika-model"], ["--script", join(folder, "script"), "--ready-fd=3"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let url = "";
  await new Promise((resolve) => {
    model.stdio[3].on("data", (data) => (url += data));
    model.stdio[3].on("end", resolve);
  });
  writeFileSync(join(folder, "config.toml"), `
model_provider = "loopback"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "${url.trim()}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
[analytics]
enabled = false
[features]
plugins = false
`);
  return {
    env: { ...world.env, TROIKA_CODEX_BIN: process.env.CODEX_PROGRAM, HOME: folder, CODEX_HOME: folder, LOOPBACK_KEY: "none" },
    stop: () => model.kill(),
  };
}
