// Sets the chosen theme before the first paint.
try {
  var theme = localStorage.getItem("troika.theme");
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }
} catch (error) {
  // Storage may be switched off; the system's theme is used then.
}
