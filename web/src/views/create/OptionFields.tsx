// Options of the harness itself, folded away.
import type { LaunchOptions } from "../../api/types";

export interface NativeOptions {
  effort: string;
  profile: string;
  config: string;
  extraDirs: string;
  webSearch: "" | "true" | "false";
  skipGitCheck: boolean;
  interactive: boolean;
}

export const EMPTY_OPTIONS: NativeOptions = {
  effort: "", profile: "", config: "", extraDirs: "", webSearch: "", skipGitCheck: false, interactive: true,
};

const lines = (text: string) => text.split("\n").map((line) => line.trim()).filter(Boolean);

export function optionsOf(options: NativeOptions): LaunchOptions {
  return {
    ...(options.effort ? { effort: options.effort } : {}),
    ...(options.profile ? { profile: options.profile } : {}),
    ...(options.config ? { config: lines(options.config) } : {}),
    ...(options.extraDirs ? { extraDirs: lines(options.extraDirs) } : {}),
    ...(options.webSearch ? { webSearch: options.webSearch === "true" } : {}),
    ...(options.skipGitCheck ? { skipGitCheck: true } : {}),
    ...(options.interactive ? { interactive: true } : {}),
  };
}

export function OptionFields({ options, onChange }: { options: NativeOptions; onChange: (options: NativeOptions) => void }) {
  const set = (part: Partial<NativeOptions>) => onChange({ ...options, ...part });
  return (
    <details class="native-options">
      <summary>Options of the harness</summary>
      <div class="columns">
        <label>Effort<input value={options.effort} placeholder="low, medium, high" onInput={(e) => set({ effort: e.currentTarget.value })} /></label>
        <label>Profile<input value={options.profile} onInput={(e) => set({ profile: e.currentTarget.value })} /></label>
        <label>
          Web search
          <select value={options.webSearch} onChange={(e) => set({ webSearch: e.currentTarget.value as NativeOptions["webSearch"] })}>
            <option value="">the harness's default</option><option value="true">on</option><option value="false">off</option>
          </select>
        </label>
        <label>Settings, key=value on each line<textarea rows={2} value={options.config} onInput={(e) => set({ config: e.currentTarget.value })} /></label>
        <label>More folders, one on each line<textarea rows={2} value={options.extraDirs} onInput={(e) => set({ extraDirs: e.currentTarget.value })} /></label>
      </div>
      <label class="option">
        <input type="checkbox" checked={options.interactive} onChange={(e) => set({ interactive: e.currentTarget.checked })} />
        <span>Can be steered and interrupted<small>The agent runs on a wire on which it takes input while it works.</small></span>
      </label>
      <label class="option">
        <input type="checkbox" checked={options.skipGitCheck} onChange={(e) => set({ skipGitCheck: e.currentTarget.checked })} />
        <span>Run outside of a git repository<small>Codex refuses to otherwise.</small></span>
      </label>
    </details>
  );
}
