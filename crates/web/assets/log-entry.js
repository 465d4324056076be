// What the script does with each entry of a log.

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
});

export const figure = (number) => number.toLocaleString("en");

export const numberOf = (entry) => Number(entry.id.slice("line-".length));

// Shows times in the person's own time zone.
export function prepare(entries) {
  for (const entry of entries) {
    const at = entry.querySelector(".at[data-at]");
    if (at) at.textContent = clock.format(Number(at.dataset.at));
  }
}

// An answer belongs to the latest call with the same id.
export function join(entries) {
  const calls = new Map();
  for (const entry of entries) {
    const { tool } = entry.dataset;
    if (entry.classList.contains("call")) calls.set(tool, entry);
    if (!entry.classList.contains("answer")) continue;
    const call = calls.get(tool);
    if (call && !call.answer && !entry.call) unite(call, entry);
    calls.delete(tool);
  }
}

// Shows the answer inside its call; the answer's own entry stays in place, but hidden.
function unite(call, answer) {
  const mark = call.querySelector(".mark");
  const given = answer.querySelector(".mark");
  const result = answer.querySelector(".result");
  mark.textContent = given.textContent;
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", given.getAttribute("aria-label"));
  call.classList.toggle("is-bad", answer.classList.contains("is-bad"));
  if (result) call.querySelector("details").append(result);
  [call.answer, answer.call, answer.result] = [answer, call, result];
  answer.hidden = true;
}

// Called before an entry is removed. If it was united with another entry, that entry gets its old
// look back.
export function release(entry) {
  const call = entry.answer ? entry : entry.call;
  if (!call) return;
  const { answer } = call;
  const mark = call.querySelector(".mark");
  mark.textContent = "";
  mark.removeAttribute("role");
  mark.removeAttribute("aria-label");
  call.classList.remove("is-bad");
  if (answer.result) answer.querySelector("details").append(answer.result);
  call.answer = answer.call = undefined;
  answer.hidden = false;
}
