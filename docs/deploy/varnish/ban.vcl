# Varnish in front of calfacade with edge.tags: xkey, and without vmod xkey:
# /etc/varnish/default.vcl. A ban tests each stored response: with many purges and many
# responses vmod xkey needs less.

vcl 4.1;

import std;

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
    if (req.method == "BAN") {
        if (client.ip !~ purgers) {
            return (synth(403));
        }
        # A regular expression of keys. It names nothing of requests, so that the ban lurker
        # removes responses in the background.
        if (req.http.xkey-ban && std.ban("obj.http.xkey ~ " + req.http.xkey-ban)) {
            return (synth(200));
        }
        return (synth(400));
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
