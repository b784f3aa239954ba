/** The script of every page: keeps its main part up to date by asking for the page again, and sends what forms ask for. */

/** Milliseconds from one answer to the next question; doubled with each failure, up to the longest. */
const POLL = { everyMs: 2_000, longestMs: 15_000, limitMs: 10_000 };

/**
 * What comes is the same page, made by the server with everything escaped; it is laid over what is shown node by node, so that
 * focus, scrolling, opened details and a selection stay. Browsers ask for the token themselves when an answer demands it.
 */
export const PAGE_SCRIPT = `(() => {
'use strict';
const POLL = ${JSON.stringify(POLL)};
const byId = (id) => document.getElementById(id);
const connection = byId('connection'), pause = byId('pause'), told = byId('told');
let timer, waitMs = POLL.everyMs, paused = false, asking, lastAt = new Date();

const keyOf = (node) => (node.nodeType === 1 ? node.getAttribute('data-key') || node.id : '');
const fits = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

function lay(shown, fresh) {
  if (shown.nodeType !== 1) {
    if (shown.nodeValue !== fresh.nodeValue) shown.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name, value } of [...fresh.attributes]) if (shown.getAttribute(name) !== value) shown.setAttribute(name, value);
  for (const { name } of [...shown.attributes]) if (!fresh.hasAttribute(name) && name !== 'open') shown.removeAttribute(name);
  let at = shown.firstChild;
  for (const next of [...fresh.childNodes]) {
    let match = at;
    const key = keyOf(next);
    if (match && !fits(match, next) && key) {
      while (match && !fits(match, next)) match = match.nextSibling;
    }
    if (match && fits(match, next)) {
      while (at !== match) {
        const gone = at;
        at = at.nextSibling;
        gone.remove();
      }
      at = match.nextSibling;
      lay(match, next);
    } else shown.insertBefore(document.importNode(next, true), at);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function say(text, isBad) {
  connection.textContent = text;
  connection.className = isBad ? 'lost' : 'on';
}

async function refresh() {
  clearTimeout(timer);
  if (asking) return asking;
  asking = ask();
  try {
    await asking;
    waitMs = POLL.everyMs;
  } catch (error) {
    waitMs = Math.min(2 * waitMs, POLL.longestMs);
    say('Not connected since ' + lastAt.toISOString().slice(11, 19) + ' UTC (' + error.message + '); tries again', true);
  } finally {
    asking = undefined;
    if (!paused && !document.hidden) timer = setTimeout(refresh, waitMs);
  }
}

async function ask() {
  const reply = await fetch(location.href, { headers: { Accept: 'text/html' }, signal: AbortSignal.timeout(POLL.limitMs) });
  if (!reply.ok) throw new Error((await reply.text()).trim().slice(0, 200) || 'status ' + reply.status);
  const fresh = new DOMParser().parseFromString(await reply.text(), 'text/html');
  if (paused) return;
  lay(byId('main'), fresh.getElementById('main'));
  lastAt = new Date();
  say('Live, ' + lastAt.toISOString().slice(11, 19) + ' UTC');
}

pause.hidden = false;
pause.addEventListener('click', () => {
  paused = !paused;
  pause.textContent = paused ? 'Go on' : 'Pause';
  if (paused) {
    clearTimeout(timer);
    say('Paused at ' + lastAt.toISOString().slice(11, 19) + ' UTC');
  } else refresh();
});
document.addEventListener('visibilitychange', () => !document.hidden && !paused && refresh());
addEventListener('online', () => !paused && refresh());

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.dataset.ask) return;
  event.preventDefault();
  if (!confirm(form.dataset.ask)) return;
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const reply = await fetch(form.action, { method: 'POST', headers: { Accept: 'application/json' } });
    const text = await reply.text();
    tell(reply.ok ? JSON.parse(text).told : text, !reply.ok);
    if (!paused) await refresh();
  } catch (error) {
    tell('It is not known whether that was done: ' + error.message, true);
  } finally {
    button.disabled = false;
  }
});

function tell(text, isBad) {
  told.textContent = text;
  told.className = isBad ? 'bad' : 'good';
  told.hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => (told.hidden = true), 10000);
}

timer = setTimeout(refresh, POLL.everyMs);
say('Live', false);
})();`;
