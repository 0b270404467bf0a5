/** The budget of one data set: read now and then, so that others' spending shows here too. */

import { api, at } from "./api.js";

const EVERY = 4000;

/** {listen, refresh}; reading stops with the signal, and rests while the page is hidden. */
export function budgetOf(name, signal) {
  const listeners = [];
  let last = null;
  let moments = [];
  let reading = null;

  async function read() {
    const budget = await api.get(at(name, "/budget"), { signal });
    if (!last || budget.spent !== last.spent || !moments.length) {
      moments = await api.get(at(name, "/spending?points=300"), { signal });
    }
    const changed = JSON.stringify(budget) !== JSON.stringify(last);
    last = budget;
    if (changed) for (const each of listeners) each(budget, moments);
  }

  // One at a time; a refresh that comes in between is done after the one under way.
  let again = false;
  function refresh() {
    if (reading) {
      again = true;
      return reading;
    }
    reading = read().catch(() => null).finally(() => {
      reading = null;
      if (again && !signal.aborted) {
        again = false;
        refresh();
      }
    });
    return reading;
  }

  const timer = setInterval(() => { if (!document.hidden) refresh(); }, EVERY);
  const seen = () => { if (!document.hidden) refresh(); };
  document.addEventListener("visibilitychange", seen, { signal });
  signal.addEventListener("abort", () => clearInterval(timer));

  return {
    refresh,
    listen(listener) {
      listeners.push(listener);
      if (last) listener(last, moments);
    },
  };
}
