import { Component, type ComponentChildren } from "preact";
import { Output } from "./Output";

interface Props {
  /** What the part shows. */
  value: unknown;
  /** Another one tries again. */
  revision?: unknown;
  children: ComponentChildren;
}

interface State {
  failed: boolean;
  revision: unknown;
}

/** A value as JSON; rows know the row that they are in. */
export function rawJson(value: unknown): string {
  try {
    return JSON.stringify(value, (name, part: unknown) => (name === "parent" ? undefined : part), 2) ?? "";
  } catch {
    return String(value);
  }
}

/** Keeps a part that can't be drawn from taking the whole view with it. */
export class Boundary extends Component<Props, State> {
  override state: State = { failed: false, revision: undefined };

  static getDerivedStateFromProps({ revision }: Props, state: State): State {
    return state.revision === revision ? state : { failed: false, revision };
  }

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override render({ value, children }: Props) {
    if (!this.state.failed) return <>{children}</>;
    return (
      <div class="answered" role="note">
        <p>This part can't be shown</p>
        <details>
          <summary>Raw JSON</summary>
          <Output text={rawJson(value)} label="Raw JSON" lines={200} literal />
        </details>
      </div>
    );
  }
}
