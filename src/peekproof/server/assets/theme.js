/* Runs before anything is drawn, so that the chosen colours are there from the first moment. */
(() => {
  const KEY = "peekproof-theme";
  const known = ["light", "dark"];

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be forbidden; the system's colours are right then
    }
  }

  function apply(theme) {
    if (known.includes(theme)) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }

  window.peekproofTheme = {
    get chosen() {
      return document.documentElement.dataset.theme || "system";
    },
    choose(theme) {
      apply(theme);
      try {
        if (known.includes(theme)) localStorage.setItem(KEY, theme);
        else localStorage.removeItem(KEY);
      } catch {
        // The choice holds for this page only.
      }
    },
  };
  apply(stored());
})();
