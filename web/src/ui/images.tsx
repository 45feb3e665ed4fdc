// Images that are pasted or dropped: uploaded at once, and named by their paths.
import { upload } from "../api/calls";
import { useDraft } from "../lib/draft";
import { visible } from "../lib/visible";
import { Icon } from "./icons";
import { attempt, toast } from "./parts";

export interface Picture {
  name: string;
  path: string;
  /** Shows it, in the tab that it was given to until that is loaded again. */
  url: string;
}

const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Addresses of pictures by their paths, which end with the page. */
const addresses = new Map<string, string>();

function forget(pictures: readonly Picture[]): void {
  for (const { path, url } of pictures) {
    if (addresses.delete(path)) URL.revokeObjectURL(url);
  }
}

/** Pictures of a form, kept by its name while the tab is open. */
export function usePictures(name: string) {
  const [kept, setKept] = useDraft<{ name: string; path: string }[]>(name, []);
  const pictures = kept.map((picture) => ({ ...picture, url: addresses.get(picture.path) ?? "" }));
  const add = async (files: Iterable<File>) => {
    for (const file of files) {
      if (!TYPES.includes(file.type)) {
        if (file.type) toast(`${file.name} is no PNG, JPEG, GIF or WebP image`, true);
        continue;
      }
      const path = await attempt(upload(file));
      if (!path) continue;
      addresses.set(path, URL.createObjectURL(file));
      setKept((now) => [...now, { name: file.name, path }]);
    }
  };
  const drop = (event: DragEvent) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void add(event.dataTransfer.files);
  };
  const paste = (event: ClipboardEvent) => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    void add(event.clipboardData.files);
  };
  const over = (event: DragEvent) => event.preventDefault();
  return {
    pictures,
    paths: pictures.map(({ path }) => path),
    add,
    remove: (path: string) => {
      forget(pictures.filter((picture) => picture.path === path));
      setKept((now) => now.filter((picture) => picture.path !== path));
    },
    clear: () => {
      forget(pictures);
      setKept([]);
    },
    handlers: { onDrop: drop, onDragOver: over, onPaste: paste },
  };
}

export function Pictures({ pictures, remove }: { pictures: Picture[]; remove: (path: string) => void }) {
  if (!pictures.length) return null;
  return (
    <ul class="pictures">
      {pictures.map(({ name, path, url }) => (
        <li>
          {url ? <img src={url} alt={name} /> : <span class="tag"><Icon name="image" /> {visible(name)}</span>}
          <button type="button" class="icon-button" aria-label={`Remove ${name}`} onClick={() => remove(path)}>
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function PicturePicker({ add }: { add: (files: Iterable<File>) => Promise<void> }) {
  return (
    <label class="icon-button" title="Add an image">
      <Icon name="image" />
      <input type="file" class="sr-only" accept={TYPES.join(",")} multiple aria-label="Add an image"
        onChange={(event) => void add([...(event.currentTarget.files ?? [])])} />
    </label>
  );
}
