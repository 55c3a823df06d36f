'use strict';
const base = 'control/v1';
// How many are shown.
const [newest, first] = [30, 100];
const $ = id => document.getElementById(id);
const enc = encodeURIComponent;

async function call(method, path, body) {
  let answer;
  try {
    answer = await fetch(base + path, {
      method, headers: {'content-type': 'application/json'}, body: body === undefined ? undefined : JSON.stringify(body)});
  } catch { throw new Error('The local App Store does not answer.'); }
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.detail ? `${json.detail} (${json.code})` : json.code);
  return json;
}

// One action at a time; until it is answered and shown, buttons are dimmed and do nothing.
let isActing = false;
async function act(label, method, path, body) {
  if (isActing) return;
  isActing = true;
  document.body.setAttribute('aria-busy', 'true');
  $('error').textContent = '';
  $('status').textContent = `${label} …`;
  try {
    $('status').textContent = outcome(label, await call(method, path, body));
  } catch (error) {
    $('status').textContent = '';
    $('error').textContent = `${label}: ${error.message}`;
  }
  await show();
  document.body.removeAttribute('aria-busy');
  isActing = false;
}

function outcome(label, answer) {
  if (answer.steps !== undefined) {
    const steps = answer.steps === 1 ? '1 thing' : `${answer.steps} things`;
    return `${label}: ${steps} happened${answer.isComplete ? '' : ', and there is more to come: press again'}.`;
  }
  return answer.outcome ? `${label}: ${answer.outcome}, transaction ${answer.transactionId}.` : `${label}: done.`;
}

const text = instant => instant.toISOString().slice(0, 19).replace('T', ' ');
const minute = ms => ms === undefined ? '' : text(new Date(ms)).slice(0, 16);
const price = p => (p.price / 1000).toFixed(2) + ' ' + p.currency;

function element(tag, content, children = []) {
  const made = document.createElement(tag);
  if (content !== undefined) made.textContent = content;
  made.append(...children);
  return made;
}
// `of` names the row for users who cannot see it; the key finds the button again after the table was redrawn.
function button(label, of, method, path, body) {
  const made = element('button', label);
  made.type = 'button';
  made.dataset.key = path;
  made.setAttribute('aria-label', `${label}, ${of}`);
  made.onclick = () => act(`${label}, ${of}`, method, path, body);
  return made;
}
const acts = made => { const box = element('div', undefined, made); box.className = 'acts'; return box; };
const state = (words, tone) => { const made = element('span', words); made.className = 'state ' + tone; return made; };
function lines(first, second) {
  const made = element('div', undefined, [element('span', first)]);
  made.className = 'lines';
  if (second) made.append(Object.assign(element('span', second), {className: 'more'}));
  return made;
}
function row(cells) {
  const made = cells.map(cell => cell instanceof Node ? element('td', undefined, [cell]) : element('td', cell));
  made.at(-1).className = 'act';
  return element('tr', undefined, made);
}

// Unchanged rows stay, and so do the focus and the choices in lists.
const drawn = {};
function draw(id, rows, whenEmpty) {
  const body = $(id).tBodies[0];
  if (!rows.length) {
    const cell = element('td', whenEmpty);
    cell.colSpan = $(id).rows[0].cells.length;
    cell.className = 'none';
    rows = [element('tr', undefined, [cell])];
  }
  const html = rows.map(made => made.outerHTML).join('');
  if (drawn[id] === html) return;
  drawn[id] = html;
  const focused = body.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const chosen = new Map([...body.querySelectorAll('select')].map(choice => [choice.dataset.key, choice.value]));
  body.replaceChildren(...rows);
  for (const made of body.querySelectorAll('[data-key]')) {
    if (chosen.has(made.dataset.key)) made.value = chosen.get(made.dataset.key);
    if (made.dataset.key === focused) made.focus();
  }
}

function account(a, products) {
  const path = `/accounts/${enc(a.account)}`;
  const choice = element('select', undefined, products.map(p => {
    const option = element('option', `${p.productId}, ${price(p)}`);
    option.value = p.productId;
    return option;
  }));
  choice.dataset.key = path;
  choice.setAttribute('aria-label', 'Product for ' + a.account);
  const buy = button('Buy', a.account, 'POST', path + '/purchases');
  buy.onclick = () => act(`Buy, ${a.account}`, 'POST', path + '/purchases', {productId: choice.value});
  const fails = a.payment === 'fails';
  return row([lines(a.account, `${a.environment}, ${a.storefront}`), String(a.transactions),
    acts([fails ? state('fails', 'bad') : state('works', 'good'),
      button(fails ? 'Card works' : 'Card fails', a.account, 'POST', path + '/payment', {fails: !fails})]),
    acts([choice, buy])]);
}

const states = {
  active: ['active', 'good'], billingGracePeriod: ['billing grace period', 'late'], billingRetry: ['billing retry', 'bad'],
  expired: ['expired', ''], revoked: ['revoked', 'bad']};
function subscription(s) {
  const [path, transaction] = [`/subscriptions/${s.originalTransactionId}`, `/transactions/${s.transactionId}`];
  const of = `${s.productId} of ${s.account}`;
  const [words, tone] = states[s.statusText];
  const [goesOn, isRevoked] = [!['expired', 'revoked'].includes(s.statusText), s.statusText === 'revoked'];
  const grace = s.gracePeriodExpiresDate === undefined ? '' : `grace until ${minute(s.gracePeriodExpiresDate)}`;
  const made = [];
  if (goesOn) {
    made.push(button(s.autoRenewStatus ? 'Auto-renew off' : 'Auto-renew on', of, 'POST', path + '/auto-renew',
      {enabled: !s.autoRenewStatus}));
    made.push(button('Extend 7 days', of, 'POST', path + '/extend', {days: 7}));
  }
  if (isRevoked) made.push(button('Reverse refund', of, 'POST', transaction + '/refund/reverse', {}));
  else made.push(button('Ask for refund', of, 'POST', transaction + '/refund/request', {}),
    button('Refund', of, 'POST', transaction + '/refund', {}));
  return row([lines(s.account, s.originalTransactionId),
    lines(s.productId, s.autoRenewProductId === s.productId ? '' : 'then ' + s.autoRenewProductId),
    state(words + (goesOn && !s.autoRenewStatus ? ', auto-renew off' : ''), tone),
    lines(minute(s.expiresDate), grace), s.inAppOwnershipType === 'PURCHASED' ? acts(made) : 'of the family']);
}

function sent(n, accounts) {
  const untried = n.state === 'sent' ? 'no address' : n.state;
  const tries = n.sendAttempts.map(attempt => attempt.sendAttemptResult).join(', ') || untried;
  const name = n.notificationType + (n.subtype ? ' / ' + n.subtype : '');
  const about = [accounts.get(n.originalTransactionId), n.originalTransactionId].filter(part => part !== undefined).join(', ');
  return row([minute(n.signedDate), name, about, tries,
    button('Send again', name, 'POST', `/notifications/${n.notificationUUID}/redeliver`, {})]);
}

function showClock(clock) {
  $('now').textContent = text(new Date(clock.now)) + ' UTC';
  $('now').dateTime = clock.nowText;
  const rate = String(clock.rate);
  if (![...$('rate').options].some(option => option.value === rate)) {
    const option = element('option', `goes ${rate} times as fast`);
    option.value = rate;
    $('rate').append(option);
  }
  $('rate').value = rate;
}

// If answers overlap, only the last one is shown.
let turn = 0;
async function show() {
  const mine = ++turn;
  try {
    const [clock, apps, shelf, people, told, delivery] = await Promise.all(['/clock', '/apps', '/products',
      `/accounts?limit=${first}`, `/notifications?limit=${newest}`, '/delivery'].map(path => call('GET', path)));
    const ids = people.accounts.flatMap(a => a.subscriptions.concat(a.familySubscriptions)).map(s => s.originalTransactionId);
    const all = await Promise.all(ids.map(id => call('GET', '/subscriptions/' + id)));
    if (mine !== turn) return;
    showClock(clock);
    $('app').textContent = apps.apps.map(a => a.bundleId).join(', ');
    $('first').textContent = people.accounts.length === first ? `the first ${first}` : '';
    $('to').textContent = (delivery.url ? `to ${delivery.url}` : 'nowhere: no address is set')
      + (told.notifications.length === newest ? `; the newest ${newest}` : '');
    const accounts = new Map(all.map(s => [s.originalTransactionId, s.account]));
    // Subscriptions first: most users look for them.
    const products = shelf.products.filter(p => p.period).concat(shelf.products.filter(p => !p.period));
    draw('accounts', people.accounts.map(a => account(a, products)), 'No accounts yet. Open one, then buy.');
    draw('subscriptions', all.map(subscription), 'None yet.');
    draw('sent', told.notifications.map(n => sent(n, accounts)), 'Nothing yet.');
  } catch (error) { $('error').textContent = error.message; }
}

$('clock').addEventListener('click', event => {
  const {days, to} = event.target.dataset;
  if (days) act(event.target.textContent, 'POST', '/clock/advance', {days: Number(days)});
  if (to) act(event.target.textContent, 'POST', '/clock/advance', {to});
});
$('rate').onchange = () => act('The clock', 'POST', '/clock', {rate: Number($('rate').value)});
$('open').onsubmit = event => {
  event.preventDefault();
  const body = {};
  if ($('name').value) body.id = $('name').value;
  if ($('environment').value) body.environment = $('environment').value;
  $('name').value = '';
  act('Open an account', 'POST', '/accounts', body);
};
show();
setInterval(() => { if ($('rate').value !== '0' && !isActing) show(); }, 2000);
