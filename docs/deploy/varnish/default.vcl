# Varnish in front of calfacade with edge.tags: xkey: /etc/varnish/default.vcl
# apt-get install varnish varnish-modules

vcl 4.1;

import xkey;

backend default {
    .host = "127.0.0.1";
    .port = "8080";
}

# The instances of calfacade, which send purges.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        if (client.ip !~ purgers) {
            return (synth(403));
        }
        # Keys are separated by spaces. All responses have the key "all".
        if (req.http.xkey-soft) {
            set req.http.purged = xkey.softpurge(req.http.xkey-soft);
        } else {
            set req.http.purged = xkey.purge(req.http.xkey);
        }
        return (synth(200, "purged " + req.http.purged));
    }
    # Without login_cookies the API has no cookies, and requests with one are not cached.
    unset req.http.Cookie;
}

sub vcl_backend_response {
    # Varnish would serve every response for 10 s longer.
    if (beresp.http.Cache-Control !~ "stale-while-revalidate") {
        set beresp.grace = 0s;
    }
}

sub vcl_deliver {
    # The keys are for this cache alone.
    unset resp.http.xkey;
}
