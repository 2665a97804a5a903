// The token of a link is behind its #, which no server receives. It leaves the address bar.
const fill = () => {
  if (location.hash.length > 1) {
    document.getElementById("token").value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname + location.search);
    document.getElementById("start").focus();
  }
};
addEventListener("hashchange", fill);
fill();
