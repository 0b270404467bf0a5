/** What keeps a promise, in words. */

const NAMES = {
  gaussian: "Gaussian noise",
  laplace: "Laplace noise",
  truncation: "answers cut to bins",
  splitting: "fresh rows for every question",
  rounds: "fresh rows for every round",
  checking: "checked guesses",
  "limited-checking": "checked guesses, of which a given number may fail",
  thresholdout: "Thresholdout",
  "open-ended": "Gaussian noise that grows, without a last question",
};

/** The name of a mechanism by its kind; one that has no other keeps the name of its kind. */
export function mechanismName(kind) {
  return NAMES[kind] ?? kind;
}
