// Keeps what is at the bottom above a phone's keyboard. Browsers that do not
// resize the page for it, as Safari, only tell what of the page is seen.

export function startKeyboard(): void {
  const seen = window.visualViewport;
  if (!seen) return;
  const fit = () => {
    const style = document.documentElement.style;
    // A page that is zoomed in is not covered by a keyboard.
    if (seen.scale > 1.01 || innerHeight - seen.height < 80) return void style.removeProperty("--room");
    style.setProperty("--room", `${Math.round(seen.height)}px`);
    scrollTo(0, 0);
  };
  seen.addEventListener("resize", fit);
  fit();
}
