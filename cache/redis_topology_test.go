package cache

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// topology is a way to run Redis.
type topology struct {
	urls    []string
	masters []*server
}

// topologies are all ways to run Redis that RedisOptions promise.
var topologies = []struct {
	name  string
	start func(t testing.TB) topology
}{
	{"acl", startACL},
	{"cluster", startCluster},
	{"password", startPassword},
	{"sentinel", func(t testing.TB) topology {
		s := startSentinel(t)
		return topology{s.urls(), []*server{s.master}}
	}},
	{"tcp", func(t testing.TB) topology {
		s := startServer(t)
		return topology{[]string{s.url()}, []*server{s}}
	}},
	{"tls", startTLS},
	{"unix", startUnix},
}

func startUnix(t testing.TB) topology {
	needRedis(t, "redis-server")
	path := socketPath(t)
	s := startServerAt(t, path, &redis.Options{Network: "unix", Addr: path}, "--port", "0", "--unixsocket", path)
	return topology{[]string{"unix://" + path}, []*server{s}}
}

func startPassword(t testing.TB) topology {
	needRedis(t, "redis-server")
	port := freePort(t)
	address := "127.0.0.1:" + port
	s := startServerAt(t, address, &redis.Options{Addr: address, Password: "p@ss"}, "--port", port, "--requirepass", "p@ss")
	return topology{[]string{"redis://:p%40ss@" + address + "/3"}, []*server{s}}
}

// startACL has a user who may do what the comment of RedisOptions says, and no more.
func startACL(t testing.TB) topology {
	s := startServer(t)
	s.do(append([]any{"ACL", "SETUSER", "facade", "on", ">s3cret", "~calfacade*", "&calfacade*"}, aclNeeds...)...)
	return topology{[]string{"redis://facade:s3cret@" + s.address}, []*server{s}}
}

var aclNeeds = []any{"+@read", "+@write", "+@connection", "+@transaction", "+@scripting", "+@pubsub",
	"+info", "+time", "+cluster|slots", "+cluster|shards"}

func startTLS(t testing.TB) topology {
	needRedis(t, "redis-server")
	cert, key, pool := certificate(t)
	port := freePort(t)
	address := "127.0.0.1:" + port
	s := startServerAt(t, address, &redis.Options{Addr: address, TLSConfig: &tls.Config{RootCAs: pool}},
		"--port", "0", "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no")
	return topology{[]string{"rediss://" + address + "?ca_file=" + cert}, []*server{s}}
}

// certificate makes one for 127.0.0.1 that nobody else trusts.
func certificate(t testing.TB) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	must(t, os.WriteFile(certFile, certPEM, 0o600))
	must(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return certFile, keyFile, pool
}

// startCluster starts three masters.
func startCluster(t testing.TB) topology {
	var c topology
	for range 3 {
		s := startServer(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "5000")
		c.masters = append(c.masters, s)
		c.urls = append(c.urls, s.url())
	}
	for i, s := range c.masters {
		s.do("CLUSTER", "SET-CONFIG-EPOCH", i+1)
		s.do("CLUSTER", "ADDSLOTSRANGE", i*16384/3, (i+1)*16384/3-1)
		host, port, _ := net.SplitHostPort(s.address)
		c.masters[0].do("CLUSTER", "MEET", host, port)
	}
	for _, s := range c.masters {
		eventually(t, "cluster is up", func() bool {
			info, _ := s.admin.ClusterInfo(context.Background()).Result()
			nodes, _ := s.admin.ClusterNodes(context.Background()).Result()
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") &&
				!strings.Contains(nodes, "handshake")
		})
	}
	return c
}

// sentinel is a master and a replica that a Sentinel watches.
type sentinel struct {
	master, replica *server
	watch           *server
}

func (s sentinel) urls() []string { return []string{s.watch.url() + "?master_name=calendar"} }

func startSentinel(t testing.TB) sentinel {
	needRedis(t, "redis-server", "redis-sentinel")
	var s sentinel
	s.master = startServer(t)
	host, port, _ := net.SplitHostPort(s.master.address)
	s.replica = startServer(t, "--replicaof", host+" "+port)
	eventually(t, "replica is in sync", func() bool {
		// The replica says so earlier, when what is written still waits.
		info, _ := s.master.admin.Info(context.Background(), "replication").Result()
		return strings.Contains(info, "state=online")
	})
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	own := freePort(t)
	must(t, os.WriteFile(file, fmt.Appendf(nil, `port %s
bind 127.0.0.1
sentinel monitor calendar %s %s 1
sentinel down-after-milliseconds calendar 1000
sentinel failover-timeout calendar 5000
`, own, host, port), 0o600))
	address := "127.0.0.1:" + own
	s.watch = startSentinelAt(t, address, file)
	eventually(t, "sentinel knows the replica", func() bool {
		replicas, _ := redis.NewSentinelClient(s.watch.admin.Options()).Replicas(context.Background(), "calendar").Result()
		return len(replicas) == 1 && replicas[0]["flags"] == "slave" && replicas[0]["master-link-status"] == "ok"
	})
	return s
}

// failover makes the replica the master, and waits until the Sentinel says so.
func (s sentinel) failover(t testing.TB) {
	t.Helper()
	eventually(t, "failover begins", func() bool {
		return s.watch.admin.Do(context.Background(), "SENTINEL", "FAILOVER", "calendar").Err() == nil
	})
	s.await(t)
}

func (s sentinel) await(t testing.TB) {
	t.Helper()
	eventually(t, "replica is master", func() bool {
		at, _ := s.watch.admin.Do(context.Background(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "calendar").StringSlice()
		return len(at) == 2 && net.JoinHostPort(at[0], at[1]) == s.replica.address
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
