'use strict';
const base = 'control/v1';
const $ = id => document.getElementById(id);
async function call(method, path, body) {
  const answer = await fetch(base + path, {
    method, headers: {'content-type': 'application/json'}, body: body === undefined ? undefined : JSON.stringify(body)});
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.detail || json.code);
  return json;
}
async function act(method, path, body) {
  $('error').textContent = '';
  try { await call(method, path, body); } catch (error) { $('error').textContent = error.message; }
  await show();
}
const enc = encodeURIComponent;
const day = ms => ms === undefined ? '' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
function element(tag, text, children = []) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
}
function button(label, method, path, body) {
  const made = element('button', label);
  made.type = 'button';
  made.onclick = () => act(method, path, body);
  return made;
}
function row(cells) {
  return element('tr', undefined, cells.map(cell => cell instanceof Node ? element('td', undefined, [cell]) : element('td', cell)));
}
const acts = made => { const box = element('div', undefined, made); box.className = 'acts'; return box; };
function buying(account, products) {
  const choice = element('select', undefined, products.map(p => element('option', p.productId)));
  choice.setAttribute('aria-label', 'product for ' + account.account);
  const buy = element('button', 'Buy');
  buy.type = 'button';
  buy.onclick = () => act('POST', `/accounts/${enc(account.account)}/purchases`, {productId: choice.value});
  const fails = account.payment === 'fails';
  return acts([choice, buy, button(fails ? 'Card works' : 'Card fails', 'POST',
    `/accounts/${enc(account.account)}/payment`, {fails: !fails})]);
}
function subscription(s) {
  const path = `/subscriptions/${s.originalTransactionId}`;
  const state = element('span', s.statusText + (s.autoRenewStatus ? '' : ', auto-renew off'));
  state.className = 'state';
  const own = s.inAppOwnershipType === 'PURCHASED';
  return row([s.account, s.productId + (s.autoRenewProductId === s.productId ? '' : ' → ' + s.autoRenewProductId), state,
    day(s.expiresDate), own ? acts([
      button(s.autoRenewStatus ? 'Auto-renew off' : 'Auto-renew on', 'POST', path + '/auto-renew', {enabled: !s.autoRenewStatus}),
      button('Refund', 'POST', `/transactions/${s.transactionId}/refund`, {}),
      button('Ask for refund', 'POST', `/transactions/${s.transactionId}/refund/request`, {}),
      button('Extend 7 days', 'POST', path + '/extend', {days: 7})]) : 'of the family']);
}
function sent(n) {
  const tries = n.sendAttempts.map(a => a.sendAttemptResult).join(', ') || n.state;
  return row([day(n.signedDate), n.notificationType + (n.subtype ? ' / ' + n.subtype : ''), n.originalTransactionId || '', tries,
    button('Send again', 'POST', `/notifications/${n.notificationUUID}/redeliver`, {})]);
}
async function show() {
  try {
    const [clock, apps, shelf, people, told] = await Promise.all(
      ['/clock', '/apps', '/products', '/accounts?limit=100', '/notifications?limit=30'].map(path => call('GET', path)));
    $('now').textContent = clock.nowText;
    $('rate').value = String(clock.rate);
    $('app').textContent = apps.apps.map(a => a.bundleId).join(', ');
    const ids = people.accounts.flatMap(a => a.subscriptions.concat(a.familySubscriptions)).map(s => s.originalTransactionId);
    const all = await Promise.all(ids.map(id => call('GET', '/subscriptions/' + id)));
    $('accounts').tBodies[0].replaceChildren(...people.accounts.map(a =>
      row([`${a.account} (${a.environment}, ${a.storefront})`, `${a.transactions} transactions`, buying(a, shelf.products)])));
    $('subscriptions').tBodies[0].replaceChildren(...all.map(subscription));
    $('sent').tBodies[0].replaceChildren(...told.notifications.map(sent));
  } catch (error) { $('error').textContent = error.message; }
}
$('clock').addEventListener('click', event => {
  const {days, to} = event.target.dataset;
  if (days) act('POST', '/clock/advance', {days: Number(days)});
  if (to) act('POST', '/clock/advance', {to});
});
$('rate').onchange = () => act('POST', '/clock', {rate: Number($('rate').value)});
$('open').onsubmit = event => {
  event.preventDefault();
  const body = {};
  if ($('name').value) body.id = $('name').value;
  if ($('environment').value) body.environment = $('environment').value;
  $('name').value = '';
  act('POST', '/accounts', body);
};
show();
setInterval(() => { if ($('rate').value !== '0') show(); }, 2000);
