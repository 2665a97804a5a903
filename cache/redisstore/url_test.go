package redisstore

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// No error may quote a part of a URL: any part may be the password.
func TestRedisURLErrors(t *testing.T) {
	const tls = "rediss://h/0?"
	for _, c := range []struct {
		urls []string
		want string
	}{
		{urls: nil, want: "no redis URL"},
		{urls: []string{""}, want: "redis URL 1: must be redis://"},
		{urls: []string{"http://:s3cret@h"}, want: "must be"},
		{urls: []string{"localhost:6379"}, want: "must be"},
		{urls: []string{"s3cret"}, want: "must be"},
		{urls: []string{"redis://user:s3cret@"}, want: "must be"},
		{urls: []string{"redis://:s3cret/x@h:6379"}, want: "must be"},
		{urls: []string{"redis://:s3cret@h:port"}, want: "must be"},
		{urls: []string{"redis://:s3cret%zz@h"}, want: "must be"},
		{urls: []string{"redis://:12#s3cret@h"}, want: "must be"},
		{urls: []string{"redis://:12?s3cret@h"}, want: "must be"},
		{urls: []string{"redis://x:12/s3cret@h"}, want: "must be"},
		{urls: []string{"redis://h/0?%zzs3cret"}, want: "must be"},
		{urls: []string{"redis://h/-1"}, want: "must be"},
		{urls: []string{"redis://h?db=s3cret"}, want: "must be"},
		{urls: []string{"redis://h?protocol=3"}, want: "must be"},
		{urls: []string{"redis://h?pool_size=-1"}, want: "must be"},
		{urls: []string{"redis://h?read_timeout=5s"}, want: "no parameters but ca_file"},
		{urls: []string{"redis://h?password=s3cret"}, want: "before the @"},
		{urls: []string{"redis://h?ca_file=s3cret"}, want: "without being rediss"},
		{urls: []string{tls + "ca_file=/none/s3cret"}, want: "PEM"},
		{urls: []string{"redis://h?key_file=s3cret"}, want: "without being rediss"},
		{
			urls: []string{tls + "cert_file=/none/s3cret&key_file=/none/s3cret"},
			want: "PEM certificate and its key",
		},
		{urls: []string{tls + "key_file=s3cret"}, want: "PEM certificate and its key"},
		{urls: []string{tls + "skip_verify=s3cret"}, want: "must be"},
		{urls: []string{"unix://:s3cret@host/path"}, want: "unix:///PATH"},
		{urls: []string{"unix://"}, want: "unix:///PATH"},
		{urls: []string{"redis://a", "redis://:s3cret@b"}, want: "URL 2: differs from the first"},
		{urls: []string{"redis://a", "rediss://b"}, want: "URL 2: differs"},
		{urls: []string{"redis://a?master_name=m", "redis://b"}, want: "URL 2: differs"},
		{urls: []string{"redis://a/1", "redis://b/1"}, want: "has a database number"},
		{urls: []string{"unix:///a", "unix:///b"}, want: "differs"},
	} {
		r, err := Open(Options{URLs: c.urls})
		if err == nil {
			_ = r.Close()
			t.Errorf("%q is no error, want %q", c.urls, c.want)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", c.urls, err, c.want)
		}
	}
}

func TestRedisURLs(t *testing.T) {
	optionsOf := func(url string) *redis.Options {
		t.Helper()
		r := open(t, Options{URLs: []string{url}})
		c, ok := (*r.client.Load()).(*redis.Client)
		if !ok {
			t.Fatalf("%s is %T", url, *r.client.Load())
		}
		return c.Options()
	}
	if o := optionsOf("redis://u:p%40@h:1/5"); o.Addr != "h:1" || o.Username != "u" || o.Password != "p@" || o.DB != 5 || o.TLSConfig != nil {
		t.Errorf("options = %+v", o)
	}
	if o := optionsOf("rediss://[::1]?db=2&pool_size=3"); o.Addr != "[::1]:6379" || o.DB != 2 || o.PoolSize != 3 ||
		o.TLSConfig == nil || o.TLSConfig.InsecureSkipVerify {
		t.Errorf("options = %+v", o)
	}
	if o := optionsOf("unix://u:p@/run/redis.sock?db=1"); o.Network != "unix" || o.Addr != "/run/redis.sock" ||
		o.Password != "p" || o.DB != 1 {
		t.Errorf("options = %+v", o)
	}
	cluster := open(t, Options{URLs: []string{"redis://:p@a", "redis://:p@b:1"}})
	c, ok := (*cluster.client.Load()).(*redis.ClusterClient)
	if !ok {
		t.Fatalf("cluster is %T", *cluster.client.Load())
	}
	if o := c.Options(); len(o.Addrs) != 2 || o.Addrs[1] != "b:1" || o.Password != "p" || o.MaxRetries > 0 {
		t.Errorf("options = %+v", o)
	}
}
