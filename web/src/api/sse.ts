// Parses server-sent events, however the bytes are cut.

export interface Frame {
  name: string;
  id: string;
  data: string;
}

export class SseParser {
  private rest = "";
  private name = "";
  private id = "";
  private data: string[] = [];

  /** Returns the frames that are complete with this text. */
  push(text: string): Frame[] {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    const frames: Frame[] = [];
    for (const line of lines) {
      const frame = this.line(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (frame) frames.push(frame);
    }
    return frames;
  }

  private line(line: string): Frame | undefined {
    if (line === "") {
      const frame = { name: this.name || "message", id: this.id, data: this.data.join("\n") };
      const empty = this.data.length === 0;
      this.name = this.id = "";
      this.data = [];
      return empty ? undefined : frame;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "id") this.id = value;
    else if (field === "data") this.data.push(value);
    return undefined;
  }
}
