// The token of a link follows its #, so that no server receives it. It is removed from the address bar.
const fill = () => {
  if (location.hash.length > 1) {
    document.getElementById("token").value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname + location.search);
    document.getElementById("start").focus();
  }
};
addEventListener("hashchange", fill);
fill();
