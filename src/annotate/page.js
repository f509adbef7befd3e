(function () {
  'use strict';
  var plies = Array.prototype.slice.call(document.querySelectorAll('.ply'));
  var links = Array.prototype.slice.call(document.querySelectorAll('[data-ply]'));
  var faults = plies.map(function (ply, index) { return ply.hasAttribute('data-fault') ? index : -1; });
  var cursor = document.getElementById('cursor');
  var list = document.getElementById('moves');
  var now = 0;
  function show(number) {
    now = Math.max(0, Math.min(plies.length - 1, number));
    plies.forEach(function (ply, index) { ply.classList.toggle('on', index === now); });
    links.forEach(function (link) {
      var on = Number(link.getAttribute('data-ply')) === now;
      link.classList.toggle('on', on);
      if (on ? list.contains(link) : false) {
        list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
      }
    });
    cursor.setAttribute('x', String(Number(cursor.getAttribute('width')) * now));
    // No element has this name, so that the browser does not scroll to it.
    try { history.replaceState(null, '', '#ply=' + now); } catch (refused) { /* an address that can't change */ }
  }
  function fault(forward) {
    var found = faults.filter(function (index) { return index === -1 ? false : forward ? index > now : now > index; });
    if (found.length) { show(forward ? found[0] : found[found.length - 1]); }
  }
  var actions = {
    ArrowLeft: function () { show(now - 1); },
    ArrowRight: function () { show(now + 1); },
    Home: function () { show(0); },
    End: function () { show(plies.length - 1); },
    n: function () { fault(true); },
    p: function () { fault(false); }
  };
  function fromAddress() {
    var number = /^#(?:p|ply=)(\d+)$/.exec(location.hash);
    show(number ? Number(number[1]) : now);
  }
  document.addEventListener('keydown', function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) { return; }
    if (Object.prototype.hasOwnProperty.call(actions, event.key)) { event.preventDefault(); actions[event.key](); }
  });
  document.addEventListener('click', function (event) {
    var link = event.target.closest('[data-ply]');
    var button = event.target.closest('[data-key]');
    if (link) { event.preventDefault(); show(Number(link.getAttribute('data-ply'))); }
    if (button) { actions[button.getAttribute('data-key')](); }
  });
  window.addEventListener('hashchange', fromAddress);
  document.body.classList.add('js');
  fromAddress();
})();
