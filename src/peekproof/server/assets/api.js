/**
 * The gateway's JSON. Reading is tried again when the connection is lost; asking is tried again
 * only under an idempotency key, so that nothing is ever charged twice.
 */

const PAGE_HEADER = "X-Peekproof-Page";
const TRIES = 3;
const LONGEST_WAIT = 20;

/** What the gateway said no to. `problem` is the RFC 9457 body, `name` is as in its type. */
export class Problem extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || `the gateway replied ${status}`);
    this.problem = problem;
    this.status = status;
    this.kind = String(problem.type || "").split("/").pop();
    this.fields = problem.fields || {};
  }
}

/** The gateway could not be reached; nobody knows whether it got the request. */
export class Unreachable extends Error {
  constructor() {
    super("The gateway cannot be reached.");
  }
}

let pageKey = null;
const listeners = { expired: [], waiting: [], reached: [] };

/** Remember the key of the visit; it goes with every request that changes something. */
export function usePageKey(key) {
  pageKey = key;
}

/**
 * Be told: "expired" when the visit is over, "waiting" (seconds) when the gateway asks to wait,
 * "reached" (true or false) when the connection comes or goes.
 */
export function on(event, listener) {
  listeners[event].push(listener);
}

function tell(event, value) {
  for (const each of listeners[event]) each(value);
}

const pause = (seconds, signal) => new Promise((done, stop) => {
  const timer = setTimeout(done, seconds * 1000);
  signal?.addEventListener("abort", () => { clearTimeout(timer); stop(signal.reason); });
});

async function once(method, path, { body, key, accept, signal }) {
  const headers = { Accept: accept || "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET" && pageKey) headers[PAGE_HEADER] = pageKey;
  if (key) headers["Idempotency-Key"] = key;
  let response;
  try {
    response = await fetch(path, {
      method, headers, signal, credentials: "same-origin", cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    tell("reached", false);
    throw new Unreachable();
  }
  tell("reached", true);
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ title: response.statusText }));
  const wait = Number(response.headers.get("Retry-After")) || 1;
  throw Object.assign(new Problem(problem, response.status), { wait });
}

async function send(method, path, options = {}) {
  const safe = method === "GET" || Boolean(options.key) || options.free;
  for (let tried = 1; ; tried += 1) {
    try {
      return await once(method, path, options);
    } catch (error) {
      if (error.status === 401 && !options.open) tell("expired", error);
      const again = tried < TRIES && error.wait <= LONGEST_WAIT && later(error, safe);
      if (again) {
        if (error.status === 429) tell("waiting", error.wait);
        await pause(error.wait, options.signal);
      } else if (error instanceof Unreachable && safe && tried < TRIES) {
        await pause(tried, options.signal);
      } else throw error;
    }
  }
}

// A request that came too soon was not looked at; one under a key may still be at work.
function later(error, safe) {
  const busy = error.kind === "key-in-use" && /still at work/.test(error.message);
  return error.status === 429 || busy || (error.status === 503 && safe);
}

async function read(response) {
  return response.status === 204 ? null : response.json();
}

export const api = {
  async get(path, options) { return read(await send("GET", path, options)); },
  async post(path, body, options) { return read(await send("POST", path, { ...options, body })); },
  async put(path, body, options) { return read(await send("PUT", path, { ...options, body })); },
  async remove(path, options) { return read(await send("DELETE", path, options)); },

  /** A request that is safe to send again: it carries a key of its own. */
  async once(path, body, options) {
    return api.post(path, body, { ...options, key: newKey() });
  },

  /** Read lines of JSON as they come; `heard` gets each, and a problem among them is thrown. */
  async stream(path, body, heard, options) {
    const accept = "application/x-ndjson";
    const response = await send("POST", path, { ...options, body, accept });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    try {
      for (;;) {
        const { value, done } = await reader.read();
        const lines = (rest + (value || "")).split("\n");
        rest = done ? "" : lines.pop();
        for (const line of lines.filter(Boolean)) {
          const said = JSON.parse(line);
          if (said.event === "problem") throw new Problem(said.problem, said.problem.status);
          heard(said);
        }
        if (done) return;
      }
    } catch (error) {
      if (error instanceof Problem || options?.signal?.aborted) throw error;
      throw new Unreachable();
    }
  },
};

/** A key for one request. (randomUUID is missing where a page came over plain HTTP.) */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
}

/** The address of something of a data set. */
export function at(dataset, rest = "") {
  return `/v1/datasets/${encodeURIComponent(dataset)}${rest}`;
}
